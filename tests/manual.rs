//! The manual pages in `man/` are made from the command line's own definition. This test fails when
//! they differ; `IDEMCTL_BLESS=1 cargo test --test manual` writes them anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::CommandFactory as _;
use idemctl::cli::Cli;

/// Every page by its file name.
fn pages() -> BTreeMap<String, String> {
    let mut root = Cli::command();
    root.build();
    let mut pages = BTreeMap::new();
    add(&root, "idemctl", &mut pages);
    pages
}

fn add(command: &clap::Command, name: &str, pages: &mut BTreeMap<String, String>) {
    let mut buffer = Vec::new();
    let titled = command.clone().name(name.to_owned());
    clap_mangen::Man::new(titled)
        .title(name.to_uppercase())
        .section("1")
        .date("")
        .render(&mut buffer)
        .unwrap();
    pages.insert(format!("{name}.1"), String::from_utf8(buffer).unwrap());
    for child in command.get_subcommands().filter(|child| child.get_name() != "help") {
        add(child, &format!("{name}-{}", child.get_name()), pages);
    }
}

#[test]
fn the_manual_is_made_from_the_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    let pages = pages();
    if std::env::var_os("IDEMCTL_BLESS").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in &pages {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(&folder).expect("man/ is there") {
        let entry = entry.unwrap();
        found.insert(entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap());
    }
    assert_eq!(found.keys().collect::<Vec<_>>(), pages.keys().collect::<Vec<_>>());
    for (name, text) in &pages {
        assert_eq!(&found[name], text, "{name} is not what the code says; see this test's first lines");
    }
}

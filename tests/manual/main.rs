//! The manual pages in `man/` are made from the code: section 1 from the command line's own
//! definition, idemctl.toml(5) from the settings, idemctl-janitor(8) with the metrics,
//! idemctl-protocol(7) from the statements. So is the configuration file in `packaging/`. These tests fail
//! when they differ; `IDEMCTL_BLESS=1 cargo test --test manual` writes them anew.

mod janitor_page;
mod protocol_page;
mod roff;
mod sample_toml;
mod toml_page;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::CommandFactory as _;
use idemctl::cli::Cli;

/// Every page by its file name.
fn pages() -> BTreeMap<String, String> {
    let mut root = Cli::command();
    root.build();
    let mut pages = BTreeMap::new();
    add(&root, "idemctl", &mut pages);
    let version = env!("CARGO_PKG_VERSION");
    pages.insert("idemctl.toml.5".into(), toml_page::page(version));
    pages.insert("idemctl-janitor.8".into(), janitor_page::page(version));
    pages.insert("idemctl-protocol.7".into(), protocol_page::page(version));
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

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("man")
}

#[test]
fn the_manual_is_made_from_the_code() {
    let folder = folder();
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

#[test]
fn the_pages_are_sound_roff() {
    for (name, text) in pages() {
        let mut lint = Command::new("mandoc")
            .args(["-T", "lint", "-W", "error"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this test needs mandoc (Debian: apt-get install mandoc; tests/run.sh does that)");
        lint.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = lint.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.is_empty(), "{name}: {said}");
    }
}

#[test]
fn the_packaged_configuration_is_made_from_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/idemctl.toml");
    let file = sample_toml::file();
    if std::env::var_os("IDEMCTL_BLESS").is_some() {
        fs::write(&path, &file).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), file, "see this test's first lines");
}

#[test]
fn the_packaged_configuration_sets_nothing_and_shows_the_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |text: &str| {
        let path = folder.path().join("idemctl.toml");
        fs::write(&path, text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_idemctl"))
            .args(["config", "show", "-o", "json", "--config"])
            .arg(&path)
            .env_clear()
            .env("HOME", folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let settings: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
        let value = |one: &serde_json::Value| (one["key"].to_string(), one["value"].to_string());
        settings.iter().map(value).collect::<Vec<_>>()
    };
    let file = sample_toml::file();
    let settings = shown("");
    assert_eq!(shown(&file), settings);
    // Every line that is a setting, without its comment sign.
    let set: String = file
        .lines()
        .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
        .filter(|line| !line.ends_with('='))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_ne!(set, file);
    assert_eq!(shown(&set), settings);
}

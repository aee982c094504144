//! Every command line in the docs is one that the binary takes, every setting one that it knows.

use std::collections::BTreeSet;
use std::process::Command;

use clap::Parser as _;
use idemctl::cli::Cli;

use crate::document;

const DOCUMENTS: [&str; 8] = [
    "adopt.md",
    "doctor.md",
    "embedding.md",
    "exit-codes.md",
    "janitor.md",
    "json-output.md",
    "state-machine.md",
    "troubleshooting.md",
];

/// The arguments of the first `idemctl` in a line of shell.
fn arguments(line: &str) -> Vec<String> {
    let script = format!("idemctl() {{ printf '%s\\0' idemctl \"$@\" >&3; exit; }}\n{line}");
    let output =
        Command::new("sh").args(["-c", "eval \"$1\" 3>&1 >/dev/null 2>&1", "sh", &script]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn every_command_line_parses() {
    let mut seen = 0;
    for name in DOCUMENTS {
        for line in document(name).lines() {
            let Some(shell) = line.trim_start().strip_prefix("$ ") else { continue };
            for command in shell.split(" | ").filter(|command| command.starts_with("idemctl ")) {
                let arguments = arguments(command);
                if let Err(error) = Cli::try_parse_from(&arguments) {
                    panic!("{name}: {line}: {arguments:?}: {error}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn every_setting_is_known() {
    let known: BTreeSet<String> =
        idemctl::settings_reference().into_iter().map(|setting| setting.key).collect();
    let sections: BTreeSet<&str> = known.iter().filter_map(|key| Some(key.split_once('.')?.0)).collect();
    let mut seen = 0;
    for name in DOCUMENTS {
        // The first column of a table of fields holds no settings.
        let text: Vec<String> = document(name)
            .lines()
            .map(|line| match line.strip_prefix("| `").and_then(|row| row.split_once("` |")) {
                Some((_, rest)) if name == "json-output.md" => rest.to_owned(),
                _ => line.to_owned(),
            })
            .collect();
        for word in text.join("\n").split('`').skip(1).step_by(2) {
            let Some((section, key)) = word.split_once('.') else { continue };
            let is_key = key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            if sections.contains(section) && is_key {
                assert!(known.contains(word), "{name}: {word}");
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

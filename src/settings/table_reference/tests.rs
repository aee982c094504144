use std::collections::BTreeSet;

use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde_json::Value;

use super::*;
use crate::settings::table::TableConfig;

fn read(text: &str) -> Result<TableConfig, String> {
    Figment::from(Toml::string(text)).extract().map_err(|error| error.to_string())
}

/// Tables whose members are columns, and the clocks.
fn is_leaf(path: &str, value: &Value) -> bool {
    !value.is_object() || value.get("as").is_some() || path == "guard" || path.ends_with(".set")
}

fn collect(value: &Value, prefix: &str, keys: &mut BTreeSet<String>) {
    let Value::Object(members) = value else { return };
    for (name, value) in members {
        let path = format!("{prefix}{name}");
        if is_leaf(&path, value) {
            keys.insert(path);
        } else {
            collect(value, &format!("{path}."), keys);
        }
    }
}

#[test]
fn every_setting_has_a_meaning() {
    // What is absent has no members to be seen.
    let full = read(
        "name = 't'\nkey = 'k'\n[fail]\ndelete = true\n[release]\ndelete = true\n\
         [show]\nresponse = { column = 'c' }",
    )
    .unwrap();
    let mut known = BTreeSet::new();
    collect(&serde_json::to_value(full).unwrap(), "", &mut known);
    let described: BTreeSet<String> = SETTINGS.iter().map(|setting| setting.key.to_owned()).collect();
    assert_eq!(described, known, "the settings in this file and those of the configuration differ");
    assert_eq!(described.len(), SETTINGS.len(), "a setting is described twice");
}

#[test]
fn every_example_is_one() {
    for setting in SETTINGS {
        let mut text = String::new();
        for (needed, value) in [("name", "'t'"), ("key", "'k'"), ("show.response.column", "'c'")] {
            let of_its_kind = !needed.contains("response") || setting.key.starts_with("show.response.");
            if setting.key != needed && of_its_kind {
                text.push_str(&format!("{needed} = {value}\n"));
            }
        }
        text.push_str(&format!("{} = {}\n", setting.key, setting.example));
        let table = read(&text).unwrap_or_else(|error| panic!("{text}{error}"));
        let written = serde_json::to_value(table).unwrap();
        let value = written.pointer(&format!("/{}", setting.key.replace('.', "/")));
        assert!(value.is_some_and(|value| !value.is_null()), "{}: {written}", setting.key);
    }
}

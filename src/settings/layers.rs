//! The layers of the configuration: defaults, file, environment, flags. figment keeps where each value
//! came from.

use std::env;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use figment::error::{Actual, Kind};
use figment::providers::{Format as _, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};
use serde::Serialize;

use super::config::Config;
use super::usage;
use crate::cli::GlobalArgs;
use crate::exit::Failure;
use crate::store::{looks_like_url, masked, nearest};

/// One setting as `config show` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its key in the file: `purge.grace`.
    pub key: String,
    /// Its value, secrets left out.
    pub value: String,
    /// Where it came from.
    pub source: String,
}

/// The layered configuration with the origin of every value.
#[derive(Debug)]
pub struct Effective {
    /// The values.
    pub config: Config,
    /// The file that was read.
    pub file: Option<PathBuf>,
    figment: Figment,
}

/// One value from the environment or a flag.
struct Layer {
    key: String,
    value: Value,
    name: String,
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let nested = figment::util::nest(&self.key, self.value.clone());
        Ok(Profile::Default.collect(nested.into_dict().unwrap_or_default()))
    }
}

const DEFAULTS: &str = "default";

/// Lists of tables, which no variable can hold.
pub(super) const LISTS: [&str; 1] = ["reap.policy"];

impl Effective {
    pub(super) fn load(global: &GlobalArgs) -> Result<Self, Failure> {
        refuse_misspelt_variables()?;
        let file = configuration_file(global.config.as_deref())?;
        let mut figment = Figment::from(Layer {
            key: String::new(),
            value: Value::from(Dict::new()),
            name: DEFAULTS.to_owned(),
        })
        .merge(Serialized::defaults(Config::default()));
        if let Some(file) = &file {
            // Read first: figment takes a file that can't be read for an empty one.
            let text = std::fs::read_to_string(file).map_err(|error| {
                match looks_like_url(&file.to_string_lossy()) {
                    true => usage("--config names a URL, and should name a file"),
                    false => usage(format!("can't read {}", file.display())).because(error),
                }
            })?;
            well_formed(&text, file)?;
            figment = figment.merge(Toml::string(&text));
            let problem = Figment::from(Serialized::defaults(Config::default()))
                .merge(Toml::string(&text))
                .extract::<Config>();
            if let Err(error) = problem {
                return Err(explain(&error, &file.display().to_string()));
            }
        }
        for key in known_keys() {
            let name = variable(&key);
            // The URL has an order of its own, see `database`.
            if key == "database.url" || key == "database.url_file" || LISTS.contains(&key.as_str()) {
                continue;
            }
            if let Some(text) = env::var_os(&name) {
                let text = text.into_string().map_err(|_| usage(format!("${name} is not valid UTF-8")))?;
                let value = scalar(&text);
                figment = figment.merge(Layer { key, value, name: format!("${name}") });
            }
        }
        for (key, value, flag) in [
            ("display.output", global.output.map(|output| format!("{output:?}").to_lowercase()), "--output"),
            ("display.time_zone", global.time_zone.clone(), "--time-zone"),
        ] {
            if let Some(value) = value {
                figment =
                    figment.merge(Layer { key: key.to_owned(), value: value.into(), name: flag.to_owned() });
            }
        }
        let config: Config = figment.extract().map_err(|error| {
            let place =
                error.metadata.as_ref().map_or("the configuration".to_owned(), |meta| meta.name.to_string());
            explain(&error, &place)
        })?;
        config.check()?;
        Ok(Self { config, file, figment })
    }

    /// Whether something but the defaults sets a key.
    pub fn is_set(&self, key: &str) -> bool {
        self.source(key) != DEFAULTS
    }

    /// Every setting, its value and where it came from.
    pub fn settings(&self) -> Vec<Setting> {
        let tables =
            self.figment.find_value("table").ok().into_iter().flat_map(|tables| leaves("table", &tables));
        let tables: Vec<Setting> =
            tables.map(|(key, value)| Setting { key, value, source: self.source("table") }).collect();
        known_keys()
            .into_iter()
            .map(|key| {
                let value = self.figment.find_value(&key).ok();
                Setting {
                    value: value.as_ref().map_or("unset".to_owned(), shown),
                    source: self.source(&key),
                    key,
                }
            })
            .chain(tables)
            .collect()
    }

    /// Whether the file sets a key.
    pub(super) fn is_of_file(&self, key: &str) -> bool {
        self.figment.find_metadata(key).is_some_and(|metadata| metadata.name.contains("TOML"))
    }

    pub(super) fn source(&self, key: &str) -> String {
        let Some(metadata) = self.figment.find_metadata(key) else { return DEFAULTS.to_owned() };
        if metadata.name.contains("TOML") {
            return self.file.as_ref().map_or_else(String::new, |file| file.display().to_string());
        }
        if metadata.name.starts_with(['$', '-']) {
            return metadata.name.to_string();
        }
        DEFAULTS.to_owned()
    }
}

/// A value for people; URLs lose their passwords.
fn shown(value: &Value) -> String {
    match value {
        // The URL that counts is shown by its parts; any other one may hold a password wherever it likes.
        Value::String(_, text) if looks_like_url(text) => "(a URL, not shown)".to_owned(),
        Value::String(_, text) => masked(text).into_owned(),
        Value::Num(_, number) => number
            .to_u128()
            .map(|number| number.to_string())
            .or_else(|| number.to_i128().map(|number| number.to_string()))
            .or_else(|| number.to_f64().map(|number| number.to_string()))
            .unwrap_or_default(),
        Value::Bool(_, flag) => flag.to_string(),
        Value::Empty(..) => "unset".to_owned(),
        Value::Array(_, items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => format!("{other:?}"),
    }
}

/// The values inside of a value, each with its path: `table.0.key`.
fn leaves(path: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Dict(_, members) => {
            members.iter().flat_map(|(name, member)| leaves(&format!("{path}.{name}"), member)).collect()
        }
        Value::Array(_, items) if items.iter().any(|item| matches!(item, Value::Dict(..))) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| leaves(&format!("{path}.{index}"), item))
            .collect(),
        Value::Array(_, items) if path == "table" && items.is_empty() => Vec::new(),
        other => vec![(path.to_owned(), shown(other))],
    }
}

/// A variable's text as the scalar that the same text is in a TOML file.
fn scalar(text: &str) -> Value {
    if let Ok(flag) = text.parse::<bool>() {
        return flag.into();
    }
    if let Ok(number) = text.parse::<u64>() {
        return number.into();
    }
    match text.parse::<f64>() {
        Ok(number) => number.into(),
        Err(_) => text.into(),
    }
}

/// The keys of every setting, in the file's order.
pub fn known_keys() -> Vec<String> {
    let Ok(serde_json::Value::Object(sections)) = serde_json::to_value(Config::default()) else {
        return Vec::new();
    };
    sections
        .iter()
        .flat_map(|(section, keys)| {
            let keys = keys.as_object().map(|keys| keys.keys().cloned().collect()).unwrap_or_else(Vec::new);
            keys.into_iter().map(move |key| format!("{section}.{key}"))
        })
        .collect()
}

/// `purge.grace` is `$IDEMCTL_PURGE_GRACE`.
pub(super) fn variable(key: &str) -> String {
    format!("IDEMCTL_{}", key.replace('.', "_").to_uppercase())
}

/// The file to read: the one that is named, or the first that is there.
fn configuration_file(named: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    if let Some(named) = named {
        return Ok(Some(named.to_owned()));
    }
    let user = etcetera::choose_base_strategy()
        .ok()
        .map(|folders| folders.config_dir().join("idemctl").join("idemctl.toml"));
    let system = PathBuf::from("/etc/idemctl/idemctl.toml");
    Ok(user.into_iter().chain([system]).find(|path| path.exists()))
}

/// figment's error in our words: the key, the place, and the nearest key that exists.
fn explain(error: &figment::Error, place: &str) -> Failure {
    let path = error.path.join(".");
    match &error.kind {
        Kind::UnknownField(field, expected) => {
            let parent = if path.is_empty() { String::new() } else { format!("{path}.") };
            // figment's path may end in the unknown field itself.
            let parent = parent.strip_suffix(&format!("{field}.")).unwrap_or(&parent).to_owned();
            let failure = usage(format!("{place}: there is no setting {parent}{field}"));
            match nearest(field, expected) {
                Some(known) => failure.hint(format!("did you mean {parent}{known}?")),
                None => failure.hint(format!("known here: {}", expected.join(", "))),
            }
        }
        Kind::InvalidType(Actual::Str(text), expected) | Kind::InvalidValue(Actual::Str(text), expected)
            if path.starts_with("database") || looks_like_url(text) || text.contains('@') =>
        {
            let failure = usage(format!("{place}: {path}: found a text, expected {expected}"));
            if path == "database" {
                return failure.hint("write url = \"...\" below [database]");
            }
            failure
        }
        kind if path.is_empty() => usage(format!("{place}: {}", kind.to_string().trim().replace('\n', " "))),
        kind => usage(format!("{place}: {path}: {kind}")),
    }
}

/// Refuses what is no TOML. The parser's own error repeats the line, which may hold a password.
fn well_formed(text: &str, file: &Path) -> Result<(), Failure> {
    let Err(error) = text.parse::<toml::Table>() else { return Ok(()) };
    let place = error.span().and_then(|span| text.get(..span.start)).map(|before| {
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!(", line {line}, column {column}")
    });
    // A key that is there twice is named, and a line without quotes is a key.
    let what = error.message().lines().next().unwrap_or_default();
    let what = if what.contains('`') && looks_like_url(what) { "this is not TOML" } else { what };
    Err(usage(format!("{}{}: {what}", file.display(), place.unwrap_or_default()))
        .hint("text is written in quotes: url = \"...\"; in single quotes a backslash is one"))
}

/// Variables that read like one of ours and are none: what they were to set is not set.
fn refuse_misspelt_variables() -> Result<(), Failure> {
    const PREFIX: &str = "IDEMCTL_";
    let lists = LISTS.map(variable);
    let mut known: Vec<String> = known_keys().iter().map(|key| variable(key)).collect();
    known.retain(|name| !lists.contains(name));
    known.push("IDEMCTL_CONFIG".to_owned());
    for (name, _) in env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        if known.iter().any(|known| known == name) {
            continue;
        }
        let written = &name[PREFIX.len()..];
        // Of the two that are alike the one that is a file is meant where a file is spoken of.
        let is_like = |known: &&str| written.contains("FILE") || *known != "DATABASE_URL_FILE";
        let ends: Vec<&str> =
            known.iter().filter_map(|known| known.strip_prefix(PREFIX)).filter(is_like).collect();
        let has = |words: &[&str]| written.split('_').any(|word| words.contains(&word));
        let means_url = has(&["DATABASE", "DB", "URL", "URI", "DSN", "POSTGRES", "PG", "HOST", "PORT"]);
        let unknown = || usage(format!("there is no variable ${name}"));
        match nearest(written, &ends).or(means_url.then_some("DATABASE_URL")) {
            Some(meant) => {
                return Err(
                    unknown().hint(format!("did you mean ${PREFIX}{meant}? Set that one, or unset ${name}"))
                );
            }
            // It would name a place, or protect one.
            None if has(&["CONTEXT", "SCHEMA", "TABLE", "READ", "READONLY", "USER", "PASSWORD"]) => {
                return Err(unknown().hint("unset it; `idemctl config show` lists the settings"));
            }
            // Another program's, or a script's own.
            None => tracing::debug!("the variable ${name} has no meaning and is ignored"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_variable_of_its_own() {
        let keys = known_keys();
        assert!(keys.contains(&"purge.max_rows_per_second".to_owned()), "{keys:?}");
        let mut variables: Vec<String> = keys.iter().map(|key| variable(key)).collect();
        variables.sort();
        variables.dedup();
        assert_eq!(variables.len(), keys.len());
    }

    #[test]
    fn values_never_show_a_password() {
        let url = Value::from("postgres://me:s3cret@host/db");
        assert_eq!(shown(&url), "(a URL, not shown)");
        assert!(!shown(&Value::from("pg://me:s3cret@host/db")).contains("s3cret"));
        assert_eq!(shown(&Value::from(100u32)), "100");
        assert_eq!(shown(&Value::from(0.25)), "0.25");
    }
}

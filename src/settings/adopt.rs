//! What `adopt` works with, and the answers to its questions as TOML.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use chrono_tz::Tz;
use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde_json::{Map, Value};

use super::Settings;
use super::config::DurationSetting;
use super::table::{As, named_table};
use crate::cli::AdoptArgs;
use crate::exit::{Exit, Failure};
use crate::table::adopt::{Answers, ColumnNames, Role, RuleAnswer, SpanAnswer, ValueMeaning};
use crate::table::{Literal, TableName};

/// `adopt`
#[derive(Debug, Clone)]
pub struct AdoptSettings {
    /// The table to describe; `None` is the one that looks like one.
    pub table: Option<TableName>,
    /// Where to write the mapping.
    pub write: Option<PathBuf>,
    /// The text of the answers file.
    pub answers: Option<String>,
    /// How long after the first look to look again.
    pub watch: Option<Duration>,
}

impl Settings {
    /// `--table` names a table of the database here, not one of the configuration.
    ///
    /// # Errors
    /// A name that is none; an answers file that can't be read.
    pub fn adopt(&self, args: &AdoptArgs) -> Result<AdoptSettings, Failure> {
        let table = self.table.as_deref().map(named_table).transpose()?;
        let answers = args.answers.as_ref().map(|path| {
            fs::read_to_string(path).map_err(|error| {
                Failure::new(Exit::Usage, format!("can't read the answers in {}", path.display()))
                    .because(error)
            })
        });
        Ok(AdoptSettings {
            table,
            write: args.write.clone(),
            answers: answers.transpose()?,
            watch: args.watch,
        })
    }
}

/// The ids of questions.
const IDS: [&str; 17] = [
    "key",
    "scope",
    "state",
    "others",
    "clocks",
    "column",
    "values",
    "encoding",
    "zone",
    "ttl",
    "null_expires",
    "reopens",
    "fail",
    "release",
    "claim",
    "response_ref",
    "allow_cascade",
];

/// What is wrong with an answer.
type Wrong = String;

/// Reads answers: TOML, `ID = ANSWER`.
///
/// # Errors
/// The id of the answer that is none, and why.
pub(crate) fn read_answers(text: &str) -> Result<Answers, Failure> {
    let usage = |what: String| Failure::new(Exit::Usage, what);
    let whole: Map<String, Value> = Figment::from(Toml::string(text))
        .extract()
        .map_err(|error| usage("the answers are no TOML".to_owned()).because(error))?;
    let mut answers = Answers::default();
    for (id, value) in &whole {
        read(&mut answers, id, value).map_err(|(id, wrong)| usage(format!("the answer {id}: {wrong}")))?;
    }
    Ok(answers)
}

fn read(answers: &mut Answers, id: &str, value: &Value) -> Result<(), (String, Wrong)> {
    // As one word in quotes: `"column.status" = "state"`.
    if let Some((group @ ("column" | "values" | "encoding"), column)) = id.split_once('.') {
        return of_column(answers, group, column, value).map_err(|wrong| (id.to_owned(), wrong));
    }
    if let group @ ("column" | "values" | "encoding") = id {
        let members = value.as_object().ok_or_else(|| {
            (id.to_owned(), format!("write {group}.NAME = …, where NAME is the name of a column"))
        })?;
        for (column, value) in members {
            of_column(answers, group, column, value).map_err(|wrong| (format!("{group}.{column}"), wrong))?;
        }
        return Ok(());
    }
    of_table(answers, id, value).map_err(|wrong| (id.to_owned(), wrong))
}

fn of_column(answers: &mut Answers, group: &str, column: &str, value: &Value) -> Result<(), Wrong> {
    match group {
        "column" => {
            answers.add_roles(column, roles(value)?);
        }
        "values" => {
            let members = value.as_object().ok_or("write it as { \"VALUE\" = \"in_progress\", … }")?;
            let mut meanings = Vec::new();
            for (text, meaning) in members {
                let name = meaning.as_str().unwrap_or_default();
                let meaning = ValueMeaning::named(name).ok_or_else(|| {
                    format!("{text} is {meaning}; a value is in_progress, completed, failed or keep")
                })?;
                let stored = if text == "NULL" { None } else { Some(text.clone()) };
                meanings.push((stored, meaning));
            }
            answers.values.insert(column.to_owned(), meanings);
        }
        _ => {
            answers.encodings.insert(column.to_owned(), encoding(value)?);
        }
    }
    Ok(())
}

fn roles(value: &Value) -> Result<Vec<Role>, Wrong> {
    let list = match value {
        Value::Array(list) => list.clone(),
        one => vec![one.clone()],
    };
    let role = |value: &Value| {
        let name = value.as_str().unwrap_or_default();
        Role::named(name)
            .ok_or_else(|| format!("{value} is no role of a column; the roles are {}", Role::names()))
    };
    let roles: Vec<Role> = list.iter().map(role).collect::<Result<_, _>>()?;
    let says_more = roles.iter().any(|role| role.is_state());
    if roles.is_empty() || (roles.len() > 1 && roles.contains(&Role::Irrelevant) && !says_more) {
        return Err("say one role, or a list of roles".to_owned());
    }
    Ok(roles)
}

fn encoding(value: &Value) -> Result<String, Wrong> {
    if let Some(zone) = value.as_str().and_then(|text| text.parse::<Tz>().ok()) {
        return Ok(format!("{{ naive = \"{}\" }}", zone.name()));
    }
    serde_json::from_value::<As>(value.clone()).map_err(|error| error.to_string())?;
    Ok(inline(value))
}

/// A value as TOML in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name} = {}", inline(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        value => value.to_string(),
    }
}

fn texts(value: &Value) -> Result<Vec<String>, Wrong> {
    let text =
        |value: &Value| value.as_str().map(str::to_owned).ok_or(format!("{value} is no name of a column"));
    match value {
        Value::Array(list) => list.iter().map(text).collect(),
        one => Ok(vec![text(one)?]),
    }
}

fn flag(value: &Value) -> Result<bool, Wrong> {
    value.as_bool().ok_or_else(|| format!("{value} is neither true nor false"))
}

fn span(value: &Value) -> Result<SpanAnswer, Wrong> {
    if value == "never" {
        return Ok(SpanAnswer::Never);
    }
    let wrong = || format!("{value} is no duration such as \"24h\", nor \"never\"");
    let text = value.as_str().ok_or_else(wrong)?;
    let span: DurationSetting = serde_json::from_value(value.clone()).map_err(|_| wrong())?;
    Ok(SpanAnswer::After(text.to_owned(), span.0))
}

fn literal(value: &Value) -> Result<Literal, Wrong> {
    match value {
        Value::String(text) => Ok(Literal::Text(text.clone())),
        Value::Bool(flag) => Ok(Literal::Bool(*flag)),
        value => value.as_i64().map(Literal::Int).ok_or_else(|| format!("{value} is no value of a column")),
    }
}

fn rule(value: &Value) -> Result<RuleAnswer, Wrong> {
    let pairs = |members: &Map<String, Value>| -> Result<Vec<(String, Literal)>, Wrong> {
        members.iter().map(|(column, value)| Ok((column.clone(), literal(value)?))).collect()
    };
    match value {
        Value::String(text) if text == "none" => Ok(RuleAnswer::None),
        Value::String(text) if text == "delete" => Ok(RuleAnswer::Delete),
        Value::Object(members) if members.get("delete") == Some(&Value::Bool(true)) && members.len() == 1 => {
            Ok(RuleAnswer::Delete)
        }
        Value::Object(members) if members.is_empty() => Err("no column is set".to_owned()),
        Value::Object(members)
            if members.iter().all(|(name, value)| match name.as_str() {
                "set" => value.is_object(),
                "set_null" | "set_now" => value.is_array(),
                _ => false,
            }) =>
        {
            let of = |name: &str| members.get(name).map_or_else(|| Ok(Vec::new()), texts);
            Ok(RuleAnswer::Set {
                set: members.get("set").and_then(Value::as_object).map_or_else(|| Ok(Vec::new()), pairs)?,
                null: of("set_null")?,
                now: of("set_now")?,
            })
        }
        Value::Object(members) => {
            Ok(RuleAnswer::Set { set: pairs(members)?, null: Vec::new(), now: Vec::new() })
        }
        other => Err(format!("{other} is neither \"delete\", \"none\" nor {{ COLUMN = VALUE }}")),
    }
}

fn of_table(answers: &mut Answers, id: &str, value: &Value) -> Result<(), Wrong> {
    let names = |value: &Value| match value {
        value if value == "yes" => Ok(ColumnNames::Yes),
        value => texts(value).map(ColumnNames::These),
    };
    let known = |value: &Value, words: [&str; 2]| match value.as_str() {
        Some(text) if words.contains(&text) => Ok(text.to_owned()),
        _ => Err(format!("{value} is neither {:?} nor {:?}", words[0], words[1])),
    };
    match id {
        "key" => match names(value)? {
            ColumnNames::These(columns) if columns.is_empty() => return Err("a key has a column".to_owned()),
            names => answers.key = Some(names),
        },
        "scope" => answers.scope = Some(names(value)?),
        "state" | "others" | "clocks" => {
            match id {
                "state" => answers.state = true,
                "others" => answers.others = true,
                _ => answers.clocks = true,
            }
            match value {
                value if value == "none" => {}
                Value::Object(members) => {
                    for (column, value) in members {
                        answers.add_roles(column, roles(value)?);
                    }
                }
                Value::String(column) if id == "state" => {
                    answers.add_roles(column, vec![Role::State]);
                }
                other => {
                    return Err(format!("{other} is neither \"none\" nor {{ COLUMN = ROLE }}"));
                }
            }
        }
        "zone" => {
            let zone: Tz = value
                .as_str()
                .and_then(|zone| zone.parse().ok())
                .ok_or_else(|| format!("there is no time zone {value}; name one like \"Europe/Berlin\""))?;
            answers.zone = Some(zone.name().to_owned());
        }
        "ttl" => answers.ttl = Some(span(value)?),
        "null_expires" => answers.null_expires = Some(span(value)?),
        "reopens" => answers.reopens = Some(flag(value)?),
        "allow_cascade" => answers.allow_cascade = Some(flag(value)?),
        "fail" => answers.fail = Some(rule(value)?),
        "release" => answers.release = Some(rule(value)?),
        "claim" => {
            let members =
                value.as_object().ok_or("write it as { expired = \"blocks\", failed = \"final\" }")?;
            if let Some(other) = members.keys().find(|name| !matches!(name.as_str(), "expired" | "failed")) {
                return Err(format!("there is no {other}; a claim has expired and failed"));
            }
            let expired =
                members.get("expired").map(|value| known(value, ["blocks", "absent"])).transpose()?;
            let failed = members.get("failed").map(|value| known(value, ["retry", "final"])).transpose()?;
            answers.claim = Some((expired, failed));
        }
        "response_ref" => {
            let column = value.as_str().ok_or_else(|| format!("{value} is no name of a column"))?;
            answers.response_ref = Some((column != "none").then(|| column.to_owned()));
        }
        _ => {
            let near = IDS.iter().find(|known| known.starts_with(id) || id.starts_with(*known));
            let known = near.map_or_else(|| IDS.join(", "), |near| (*near).to_owned());
            return Err(format!("there is no such question; the ids are {known}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_none_is_named() {
        for (text, words) in [
            ("colum.a = \"state\"", "colum"),
            ("column.a = \"stat\"", "column.a"),
            ("column.a = []", "column.a"),
            ("values.a = { x = \"done\" }", "values.a"),
            ("encoding.a = \"epoch\"", "encoding.a"),
            ("zone = \"Berlin\"", "zone"),
            ("ttl = 24", "ttl"),
            ("reopens = \"no\"", "reopens"),
            ("fail = \"gone\"", "fail"),
            ("claim = { expired = \"gone\" }", "claim"),
            ("state = 1", "state"),
            ("key = []", "key"),
            ("= 1", "TOML"),
        ] {
            let failure = read_answers(text).unwrap_err();
            assert_eq!(failure.exit, Exit::Usage, "{text}");
            assert!(failure.to_string().contains(words), "{text}: {failure}");
        }
    }

    #[test]
    fn answers_are_read() {
        let answers = read_answers(
            "column.a = \"state\"\n\"column.b c\" = [\"expires\", \"lease\"]\nvalues.a = { 0 = \"keep\", NULL = \"failed\" }
             encoding.d = \"Europe/Berlin\"\nclocks = \"none\"\nfail = { a = 2 }\nrelease = { set_null = [\"e\"] }",
        )
        .unwrap();
        assert_eq!(answers.columns["b c"], [Role::Expires, Role::Lease]);
        assert_eq!(
            answers.values["a"],
            [(Some("0".into()), ValueMeaning::Keep), (None, ValueMeaning::Failed)]
        );
        assert_eq!(answers.encodings["d"], "{ naive = \"Europe/Berlin\" }");
        assert!(answers.clocks && !answers.state);
        assert!(matches!(answers.fail, Some(RuleAnswer::Set { ref set, .. }) if set[0].1 == Literal::Int(2)));
    }

    #[test]
    fn several_answers_about_a_column_are_all_true() {
        let answers = read_answers(
            "column.a = [\"set_means_in_progress\", \"lease\"]\nstate = { a = \"set_means_in_progress\", b = \"state\" }\n\
             clocks = { b = \"claimed\" }",
        )
        .unwrap();
        assert_eq!(answers.columns["a"], [Role::SetMeans, Role::Lease]);
        let of_b = &answers.columns["b"];
        assert!(of_b.len() == 2 && of_b.contains(&Role::State) && of_b.contains(&Role::Claimed), "{of_b:?}");
    }
}

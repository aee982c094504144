//! Somebody who knows the table and answers what is asked about it, truthfully.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use chrono_tz::Tz;
use serde_json::Value;

use crate::model::{Cell, Column, Expiry, Failing, Role, Says, StateShape, Table, Writing};
use crate::support::Dialect;

pub struct Oracle<'t> {
    table: &'t Table,
    heard: BTreeSet<String>,
    answers: BTreeMap<String, String>,
    /// Answers that are true only together with that of a question: encodings of clocks in other zones than the one
    /// that was said, clocks that were said to matter before it was said which others do.
    beside: BTreeMap<String, &'static str>,
}

/// A string of TOML.
fn toml(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn list(names: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", names.into_iter().collect::<Vec<_>>().join(", "))
}

fn inline(pairs: impl IntoIterator<Item = (String, String)>) -> String {
    let pairs: Vec<String> =
        pairs.into_iter().map(|(name, value)| format!("{} = {value}", toml(&name))).collect();
    format!("{{ {} }}", pairs.join(", "))
}

impl<'t> Oracle<'t> {
    pub fn new(table: &'t Table) -> Self {
        Self { table, heard: BTreeSet::new(), answers: BTreeMap::new(), beside: BTreeMap::new() }
    }

    /// Hears what is asked; gives the ids that were not asked before.
    pub fn hear(&mut self, report: &Value) -> Result<Vec<String>, String> {
        let questions = report["questions"].as_array().cloned().unwrap_or_default();
        let mut fresh = Vec::new();
        for question in &questions {
            let id =
                question["id"].as_str().ok_or_else(|| format!("a question without an id: {question}"))?;
            if !self.heard.insert(id.to_owned()) {
                continue;
            }
            fresh.push(id.to_owned());
            let columns: Vec<&Column> = question["columns"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|name| self.table.column(name.as_str()?))
                .collect();
            let options = question["options"].as_array().into_iter().flatten();
            let offered = options.filter_map(|option| option["answer"].as_str()?.split_once(" = "));
            let offered: BTreeSet<(String, String)> =
                offered.map(|(id, answer)| (id.replace('"', ""), answer.replace('"', ""))).collect();
            self.answer(id, &columns, &offered)?;
        }
        Ok(fresh)
    }

    /// As a file of answers.
    pub fn answers(&self) -> String {
        self.answers.iter().map(|(id, answer)| format!("{id} = {answer}\n")).collect()
    }

    /// Files that hold only some of the answers: about half of them, and all but one.
    pub fn parts(&self, salt: u64) -> Vec<String> {
        // By the names alone, so that a table that was made smaller leaves out the same answers.
        let lot = |id: &str| {
            let mut hasher = DefaultHasher::new();
            (salt, id).hash(&mut hasher);
            hasher.finish()
        };
        let lot = |id: &str| lot(self.beside.get(id).copied().unwrap_or(id));
        let file = |is_left_out: &dyn Fn(&str) -> bool| -> String {
            let said = self.answers.iter().filter(|(id, _)| !is_left_out(id));
            said.map(|(id, answer)| format!("{id} = {answer}\n")).collect()
        };
        let Some(one) = self.answers.keys().min_by_key(|id| lot(id)) else { return Vec::new() };
        vec![file(&|id| lot(id) % 2 == 0), file(&|id| lot(id) == lot(one))]
    }

    fn say(&mut self, id: &str, answer: impl Into<String>) {
        let id = match id.split_once('.') {
            Some((kind, name)) => format!("{kind}.{}", toml(name)),
            None => id.to_owned(),
        };
        self.answers.insert(id, answer.into());
    }

    fn answer(
        &mut self,
        id: &str,
        columns: &[&Column],
        offered: &BTreeSet<(String, String)>,
    ) -> Result<(), String> {
        let table = self.table;
        let truth = &table.truth;
        let named =
            |name: &str| table.column(name).ok_or_else(|| format!("{id}: the table has no such column"));
        let answer = match id.split_once('.') {
            Some(("column", name)) => {
                let column = named(name)?;
                // An answer is true by itself: without the one about the state, too.
                let both = list([toml("set_means_in_progress"), toml(column.role.word())]);
                match column.says == Says::SetUnfinished
                    && offered.contains(&(id.to_owned(), both.replace('"', "")))
                {
                    true => both,
                    false => roles(column, self.heard.contains("state")),
                }
            }
            Some(("values", name)) => match &named(name)?.says {
                Says::Values(values) => {
                    // SQLite has no flags: the rows hold numbers.
                    let is_number = matches!(table.dialect, Dialect::Sqlite);
                    let stored = |cell: &Cell| match cell {
                        Cell::Flag(flag) if is_number => i64::from(*flag).to_string(),
                        other => other.words(),
                    };
                    inline(values.iter().map(|(cell, meaning)| (stored(cell), toml(meaning.word()))))
                }
                // Its values say nothing; whoever was asked says so where he can.
                _ => {
                    let id = format!("column.{name}");
                    if offered.contains(&(id.clone(), "irrelevant".to_owned())) {
                        self.say(&id, roles(named(name)?, true));
                    }
                    return Ok(());
                }
            },
            Some(("encoding", name)) => match named(name)?.writing.and_then(encoding) {
                Some(encoding) => encoding,
                None => return Ok(()),
            },
            Some(_) => return Err(format!("nobody knows the question {id}")),
            None => match id {
                // What a unique key beside it says is the scope is not asked here.
                "key" => {
                    let is_all = !self.heard.contains("scope")
                        && (columns.is_empty() || columns.iter().any(|column| column.role == Role::Scope));
                    let of =
                        |column: &&Column| column.role == Role::Key || is_all && column.role == Role::Scope;
                    list(table.columns.iter().filter(of).map(|column| toml(&column.name)))
                }
                "scope" => {
                    let is_key = |column: &Column| column.role == Role::Key;
                    let asks = |column: &Column| columns.iter().any(|asked| asked.name == column.name);
                    let knows_key = self.heard.contains("key");
                    let of = |column: &&Column| {
                        column.role == Role::Scope || is_key(column) && asks(column) && !knows_key
                    };
                    list(table.columns.iter().filter(of).map(|column| toml(&column.name)))
                }
                "state" => {
                    // Whoever is offered what a column of the question really is says that, too.
                    for column in columns.iter().filter(|column| !column.tells() && column.role.is_clock()) {
                        let id = format!("column.{}", column.name);
                        if offered.contains(&(id.clone(), column.role.word().to_owned())) {
                            self.say(&id, toml(column.role.word()));
                            self.beside.insert(format!("column.{}", toml(&column.name)), "clocks");
                        }
                    }
                    match truth.shape {
                        StateShape::Presence => toml("none"),
                        // Nothing that could be said would be true.
                        StateShape::Unsayable => return Ok(()),
                        _ => {
                            let telling = table.columns.iter().filter(|column| column.tells());
                            inline(telling.map(|column| (column.name.clone(), toml(role(column, false)))))
                        }
                    }
                }
                "clocks" => {
                    let telling = columns.iter().filter(|column| role(column, true) != "irrelevant");
                    let said: Vec<_> =
                        telling.map(|column| (column.name.clone(), toml(role(column, true)))).collect();
                    if said.is_empty() { toml("none") } else { inline(said) }
                }
                "others" => {
                    // What tells the state with them is said to do so; a clock that does is asked about as one.
                    let telling = columns.iter().filter(|column| column.tells());
                    let said: Vec<_> =
                        telling.map(|column| (column.name.clone(), toml(role(column, false)))).collect();
                    if said.is_empty() { toml("none") } else { inline(said) }
                }
                "zone" => {
                    let mut zone = None;
                    for column in &table.columns {
                        let Some(here) = column.writing.and_then(zone_of) else { continue };
                        if *zone.get_or_insert(here) != here
                            && let Some(encoding) = column.writing.and_then(encoding)
                        {
                            self.say(&format!("encoding.{}", column.name), encoding);
                            self.beside.insert(format!("encoding.{}", toml(&column.name)), "zone");
                        }
                    }
                    toml(zone.unwrap_or(Tz::UTC).name())
                }
                "ttl" => match truth.expiry {
                    Expiry::Never => toml("never"),
                    Expiry::Age | Expiry::NullIsTtl => toml(&format!("{}s", truth.ttl)),
                    // Each row has an expiry of its own: a column that is asked about, too.
                    Expiry::Column | Expiry::NullIsNever | Expiry::AtTheEnd => return Ok(()),
                },
                "null_expires" => match truth.expiry {
                    Expiry::NullIsTtl => toml(&format!("{}s", truth.ttl)),
                    _ => toml("never"),
                },
                "reopens" => truth.reclaims.to_string(),
                "fail" => match &truth.failing {
                    Failing::Delete => toml("delete"),
                    Failing::Unknown => toml("none"),
                    Failing::Set(column, cell) => inline([(column.clone(), value(cell))]),
                },
                "release" => toml("none"),
                "claim" => "{ expired = \"blocks\", failed = \"final\" }".to_owned(),
                "response_ref" => {
                    let column = table.with_role(Role::Reference).next();
                    toml(column.map_or("none", |column| &column.name))
                }
                "allow_cascade" => table.child.as_ref().is_some_and(|child| child.may_go).to_string(),
                _ => return Err(format!("nobody knows the question {id}")),
            },
        };
        self.say(id, answer);
        Ok(())
    }
}

/// What a column is: what it says of the state, or where that is asked elsewhere, what else it is.
fn role(column: &Column, state_is_asked: bool) -> &'static str {
    match column.says {
        Says::Values(_) => "state",
        Says::NullUnfinished if !state_is_asked => "null_means_in_progress",
        Says::SetUnfinished if !state_is_asked => "set_means_in_progress",
        _ => column.role.word(),
    }
}

/// All that a column is: somebody may be at work while it is set, and it may say since when or until when.
fn roles(column: &Column, state_is_asked: bool) -> String {
    let role = toml(role(column, state_is_asked));
    match column.says {
        Says::SetUnfinished if column.role.is_clock() => {
            list([toml("set_means_in_progress"), toml(column.role.word())])
        }
        _ => role,
    }
}

fn value(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => toml(text),
        other => other.words(),
    }
}

fn zone_of(writing: Writing) -> Option<Tz> {
    match writing {
        Writing::Naive(zone) => Some(zone),
        Writing::Spelled(_, Some(name), zone) if !name.ends_with('Z') && !name.ends_with("+00:00") => {
            Some(zone)
        }
        _ => None,
    }
}

fn encoding(writing: Writing) -> Option<String> {
    Some(match writing {
        Writing::Zoned => toml("timestamptz"),
        Writing::Naive(zone) => format!("{{ naive = {} }}", toml(zone.name())),
        Writing::Epoch(1) => toml("epoch_s"),
        Writing::Epoch(1_000) => toml("epoch_ms"),
        Writing::Epoch(_) => toml("epoch_us"),
        Writing::Spelled(_, None, _) => return None,
        Writing::Spelled(_, Some(name), zone) => match zone_of(writing) {
            Some(_) => format!("{{ text = {}, zone = {} }}", toml(name), toml(zone.name())),
            None => format!("{{ text = {} }}", toml(name)),
        },
    })
}

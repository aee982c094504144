//! What only somebody who knows the application can say, and what was said.

use std::collections::BTreeMap;
use std::time::Duration;

use super::facts::{CatalogueColumn, CatalogueTable};
use super::roles::Role;
use super::{toml, values};
use crate::table::{Family, Literal};

/// What neither the catalogue nor the rows say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// How an answer names it.
    pub(crate) id: String,
    /// The setting that it is about, as a path in the mapping: `clock.ttl`.
    pub(crate) about: &'static str,
    /// The columns.
    pub(crate) columns: Vec<String>,
    /// In words.
    pub(crate) text: String,
    /// What is known, one line each.
    pub(crate) evidence: Vec<String>,
    /// What may be answered.
    pub(crate) options: Vec<Choice>,
}

/// One possible answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// As a line of an answers file.
    pub(crate) answer: String,
    /// What it means.
    pub(crate) means: String,
}

impl Choice {
    pub(crate) fn new(answer: impl Into<String>, means: impl Into<String>) -> Self {
        Self { answer: answer.into(), means: means.into() }
    }

    /// That a column says this.
    pub(crate) fn role(column: &str, role: Role) -> Self {
        Self::roles(column, &[role])
    }

    /// That it says all of these.
    pub(crate) fn roles(column: &str, roles: &[Role]) -> Self {
        let names: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
        let answer = match names.as_slice() {
            [one] => toml::string(one),
            several => toml::strings(several),
        };
        let means: Vec<&str> = roles.iter().map(|role| role.means()).collect();
        Self::new(format!("column.{} = {answer}", toml::key(column)), means.join("; "))
    }
}

impl Question {
    pub(crate) fn new(id: impl Into<String>, about: &'static str, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            about,
            columns: Vec::new(),
            text: text.into(),
            evidence: Vec::new(),
            options: Vec::new(),
        }
    }

    pub(crate) fn on<S: AsRef<str>>(mut self, columns: &[S]) -> Self {
        self.columns = columns.iter().map(|column| column.as_ref().to_owned()).collect();
        self
    }

    pub(crate) fn showing(mut self, evidence: Vec<String>) -> Self {
        self.evidence = evidence;
        self
    }

    pub(crate) fn with(mut self, options: Vec<Choice>) -> Self {
        for option in options {
            if !self.options.contains(&option) {
                self.options.push(option);
            }
        }
        self
    }
}

/// What a value of a state's column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueMeaning {
    InProgress,
    Completed,
    Failed,
    Keep,
}

impl ValueMeaning {
    /// The meaning of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "in_progress" => Some(Self::InProgress),
            "completed" => Some(Self::Completed),
            "failed" => Some(Self::Failed),
            "keep" => Some(Self::Keep),
            _ => None,
        }
    }
}

/// A rule that writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleAnswer {
    None,
    Delete,
    /// Columns that are set, set to NULL, and set to the moment of the change.
    Set {
        set: Vec<(String, Literal)>,
        null: Vec<String>,
        now: Vec<String>,
    },
}

/// A length of time, or never.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpanAnswer {
    Never,
    /// As it was written.
    After(String, Duration),
}

/// An answer about columns: those that are named, and whether the others of the question are of no
/// importance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ColumnNames {
    /// What was proposed.
    Yes,
    These(Vec<String>),
}

/// Everything that was answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    pub(crate) key: Option<ColumnNames>,
    pub(crate) scope: Option<ColumnNames>,
    /// `state` was answered: what it does not name says nothing about the state.
    pub(crate) state: bool,
    /// `others` was answered.
    pub(crate) others: bool,
    /// `clocks` was answered.
    pub(crate) clocks: bool,
    pub(crate) columns: BTreeMap<String, Vec<Role>>,
    /// By column; the value as text, `None` for NULL.
    pub(crate) values: BTreeMap<String, Vec<(Option<String>, ValueMeaning)>>,
    /// By column, as TOML.
    pub(crate) encodings: BTreeMap<String, String>,
    pub(crate) zone: Option<String>,
    pub(crate) ttl: Option<SpanAnswer>,
    pub(crate) null_expires: Option<SpanAnswer>,
    pub(crate) reopens: Option<bool>,
    pub(crate) fail: Option<RuleAnswer>,
    pub(crate) release: Option<RuleAnswer>,
    pub(crate) claim: Option<(Option<String>, Option<String>)>,
    pub(crate) response_ref: Option<Option<String>>,
    pub(crate) allow_cascade: Option<bool>,
}

/// What does not fit the table: the answer's id, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnswerMismatch {
    pub(crate) id: String,
    pub(crate) why: String,
}

/// A value of a column as its type has it.
pub(crate) fn literal(column: &CatalogueColumn, text: &str) -> Option<Literal> {
    match column.family {
        // SQLite has no flags: they are 0 and 1.
        Family::Integer => match text {
            "true" => Some(Literal::Int(1)),
            "false" => Some(Literal::Int(0)),
            text => text.parse().ok().map(Literal::Int),
        },
        Family::Boolean => match text {
            "true" | "t" | "1" => Some(Literal::Bool(true)),
            "false" | "f" | "0" => Some(Literal::Bool(false)),
            _ => None,
        },
        _ => Some(Literal::Text(text.to_owned())),
    }
}

impl Answers {
    /// Puts the answers of another file, or of another moment, over these.
    pub(crate) fn add(&mut self, other: Self) {
        macro_rules! over {
            ($($field:ident),*) => {$(if other.$field.is_some() { self.$field = other.$field; })*};
        }
        over!(
            key,
            scope,
            zone,
            ttl,
            null_expires,
            reopens,
            fail,
            release,
            claim,
            response_ref,
            allow_cascade
        );
        self.state |= other.state;
        self.others |= other.others;
        self.clocks |= other.clocks;
        self.columns.extend(other.columns);
        self.values.extend(other.values);
        self.encodings.extend(other.encodings);
    }

    /// One more answer about a column: what several questions were told of it is all true.
    pub(crate) fn add_roles(&mut self, column: &str, roles: Vec<Role>) {
        let known = self.columns.entry(column.to_owned()).or_default();
        for role in roles {
            if !known.contains(&role) {
                known.push(role);
            }
        }
    }

    /// The roles that were answered for a column.
    pub(crate) fn roles(&self, column: &str) -> Option<&[Role]> {
        self.columns.get(column).map(Vec::as_slice)
    }

    /// The columns that were said to play a role.
    pub(crate) fn columns_of(&self, role: Role) -> Vec<String> {
        let named = self.columns.iter().filter(|(_, roles)| roles.contains(&role));
        named.map(|(column, _)| column.clone()).collect()
    }

    /// Checks every answer against the table, and writes the names of columns as the table does.
    ///
    /// # Errors
    /// The first one that does not fit.
    pub(crate) fn fit(mut self, table: &CatalogueTable, folds: bool) -> Result<Self, AnswerMismatch> {
        let find = |id: &str, name: &str| {
            let same = |column: &&CatalogueColumn| match folds {
                true => column.name.eq_ignore_ascii_case(name),
                false => column.name == name,
            };
            table.columns.iter().find(same).ok_or_else(|| AnswerMismatch {
                id: id.to_owned(),
                why: format!(
                    "the table has no column {name:?}; it has {}",
                    table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
                ),
            })
        };
        let misfit = |id: &str, why: String| AnswerMismatch { id: id.to_owned(), why };
        for (id, names) in [("key", &mut self.key), ("scope", &mut self.scope)] {
            if let Some(ColumnNames::These(names)) = names {
                for name in names {
                    *name = find(id, name)?.name.clone();
                }
            }
        }
        let mut columns = BTreeMap::new();
        for (name, roles) in &self.columns {
            let id = format!("column.{name}");
            let column = find(&id, name)?;
            for role in roles {
                role.fits(column).map_err(|wanted| {
                    misfit(
                        &id,
                        format!(
                            "{:?} is for {wanted}, and {} is {}{}",
                            role.as_str(),
                            column.name,
                            column.sql_type,
                            if column.not_null { " and never NULL" } else { "" }
                        ),
                    )
                })?;
            }
            columns.insert(column.name.clone(), roles.clone());
        }
        self.columns = columns;
        let state = self.columns_of(Role::State);
        if state.len() > 1 {
            return Err(misfit(
                &format!("column.{}", state[1]),
                format!("only one column's values can be the states, and {} is one already", state[0]),
            ));
        }
        let mut all_values = BTreeMap::new();
        for (name, meanings) in &self.values {
            let id = format!("values.{name}");
            let column = find(&id, name)?;
            if column.is_document() || column.is_time() {
                return Err(misfit(&id, format!("{} is {}: it has no states", column.name, column.sql_type)));
            }
            let closed = values::closed(column, table);
            for (value, _) in meanings {
                let Some(value) = value else {
                    if column.not_null {
                        return Err(misfit(&id, format!("{} is never NULL", column.name)));
                    }
                    continue;
                };
                let literal = literal(column, value).ok_or_else(|| {
                    misfit(
                        &id,
                        format!("{value:?} is no value of {}, which is {}", column.name, column.sql_type),
                    )
                })?;
                if let Some(closed) = &closed
                    && !closed.contains(&literal)
                {
                    return Err(misfit(
                        &id,
                        format!(
                            "{} can't hold {value:?}; its values are {}",
                            column.name,
                            toml::literals(closed)
                        ),
                    ));
                }
            }
            all_values.insert(column.name.clone(), meanings.clone());
        }
        self.values = all_values;
        let mut encodings = BTreeMap::new();
        for (name, encoding) in &self.encodings {
            let id = format!("encoding.{name}");
            let column = find(&id, name)?;
            Role::Created.fits(column).map_err(|_| {
                misfit(
                    &id,
                    format!("{} is {}: no point in time is written there", column.name, column.sql_type),
                )
            })?;
            encodings.insert(column.name.clone(), encoding.clone());
        }
        self.encodings = encodings;
        for (id, rule) in [("fail", &mut self.fail), ("release", &mut self.release)] {
            let Some(RuleAnswer::Set { set, null, now }) = rule else { continue };
            for (name, value) in set {
                let column = find(id, name)?;
                let text = match &*value {
                    Literal::Text(text) => text.clone(),
                    other => toml::literal(other),
                };
                literal(column, &text).ok_or_else(|| {
                    misfit(
                        id,
                        format!("{text:?} is no value of {}, which is {}", column.name, column.sql_type),
                    )
                })?;
                *name = column.name.clone();
            }
            for name in null.iter_mut().chain(now) {
                *name = find(id, name)?.name.clone();
            }
        }
        if let Some(Some(name)) = &mut self.response_ref {
            *name = find("response_ref", name)?.name.clone();
        }
        Ok(self)
    }
}

//! Which columns are the key, and which the scope.

use super::facts::TableFacts;
use super::words;
use super::{Moments, Question};
use crate::table::Family;

/// The key, the scope, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyProposal {
    pub(crate) key: Vec<String>,
    pub(crate) scope: Vec<String>,
    /// How surely the name says so.
    pub(crate) score: u32,
    /// A unique key holds them apart.
    pub(crate) unique: bool,
    pub(crate) why_key: String,
    pub(crate) why_scope: String,
    pub(crate) questions: Vec<Question>,
}

/// How surely a column is the key by its name, its type and what else it is.
fn score(table: &TableFacts, name: &str) -> u32 {
    let Some(column) = table.column(name) else { return 0 };
    let fits = matches!(
        column.family,
        Family::Text | Family::Integer | Family::Bytes | Family::Other | Family::Fraction
    );
    let score = words::key_score(name);
    match (fits, column.counted, &column.references) {
        (false, ..) => 0,
        (_, true, _) => score.min(1),
        (_, _, Some(_)) => score / 3,
        _ => score,
    }
}

/// Finds them; `None` where nothing tells one row's key from another's.
pub(crate) fn propose(table: &TableFacts, moments: &Moments) -> Option<KeyProposal> {
    let mut best: Option<(u32, Vec<String>, bool, bool)> = None;
    for unique in &table.uniques {
        let Some(columns) = unique.columns.iter().cloned().collect::<Option<Vec<String>>>() else { continue };
        // A table in partitions carries the partitions' clock in every unique key.
        let kept: Vec<String> =
            columns.iter().filter(|column| moments.of(column).is_none()).cloned().collect();
        if kept.is_empty() {
            continue;
        }
        let points = kept.iter().map(|column| score(table, column)).max().unwrap_or(0);
        let narrowed = kept.len() < columns.len();
        let better = match &best {
            None => true,
            Some((other, others, ..)) => {
                (points, usize::MAX - kept.len()) > (*other, usize::MAX - others.len())
            }
        };
        if better {
            best = Some((points, kept, unique.primary, narrowed));
        }
    }
    let named = table.columns.iter().map(|column| (score(table, &column.name), &column.name));
    let (named_score, named) = named.rev().max_by_key(|(score, _)| *score)?;
    let of_unique = best.as_ref().map_or(0, |(points, ..)| *points);
    if named_score >= 60 && named_score > of_unique {
        return Some(KeyProposal {
            key: vec![named.clone()],
            scope: Vec::new(),
            score: named_score,
            unique: false,
            why_key: "its name says that it is the key".into(),
            why_scope: String::new(),
            questions: vec![Question::new(
                "key",
                "no unique key holds two rows of this key apart: which columns identify a row?",
            )],
        });
    }
    let (points, columns, primary, narrowed) = best?;
    let what = if primary { "the primary key" } else { "a unique key" };
    let mut questions = Vec::new();
    let key: Vec<String> = if columns.len() == 1 {
        columns.clone()
    } else {
        // The surest name; of several equal ones the last, as scopes are written first.
        let surest = columns.iter().max_by_key(|column| score(table, column)).cloned();
        match surest {
            Some(column) if points >= 40 => vec![column],
            _ => columns.clone(),
        }
    };
    let scope: Vec<String> = columns.iter().filter(|column| !key.contains(column)).cloned().collect();
    if narrowed {
        questions.push(Question::new(
            "key",
            format!(
                "{what} also holds a clock, so that a key can exist once for each of its values: does the \
                 application look up a key without it?"
            ),
        ));
    }
    if points < 40 {
        questions.push(Question::new(
            "key",
            format!("only {what} says so, no name does: is this what a client sends again with a retry?"),
        ));
    }
    if scope.len() >= 3 {
        questions.push(Question::new(
            "scope",
            "a wide unique key: which of its columns are the key, and which the scope (whose key it is)?",
        ));
    }
    let outside: Vec<&str> = table
        .columns
        .iter()
        .filter(|column| !columns.contains(&column.name) && words::is_scope(&column.name))
        .filter(|column| !words::is_request_hash(&column.name) && moments.of(&column.name).is_none())
        .map(|column| column.name.as_str())
        .collect();
    if !outside.is_empty() {
        questions.push(Question::new(
            "scope",
            format!(
                "stored, but not part of the unique key: {}. Does a key belong to it all the same, or does \
                 this configuration mean only rows of one of its values (guard)?",
                outside.join(", ")
            ),
        ));
    }
    let by_name = match points {
        40.. => "; its name speaks of a key",
        _ => "",
    };
    let why_key = match (key.len(), columns.len()) {
        (1, 1) => format!("{what}{by_name}"),
        (1, _) => format!("the column of {what} whose name speaks of a key"),
        _ => what.to_owned(),
    };
    Some(KeyProposal {
        why_key,
        why_scope: format!("the other columns of {what}"),
        key,
        scope,
        score: points,
        unique: !narrowed,
        questions,
    })
}

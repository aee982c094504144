//! Which columns are the key, and which the scope.

use super::facts::CatalogueTable;
use super::questions::{Answers, Choice, ColumnNames, Question};
use super::roles::Role;
use super::{Moments, presets, toml, words};
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
fn score(table: &CatalogueTable, name: &str) -> u32 {
    let Some(column) = table.column(name) else { return 0 };
    let fits = matches!(
        column.family,
        Family::Text | Family::Integer | Family::Bytes | Family::Other | Family::Fraction
    );
    if fits
        && presets::of(table)
            .and_then(|preset| preset.part(name))
            .is_some_and(|part| part.roles.contains(&Role::Key))
    {
        return 100;
    }
    let score = words::key_score(table.without_prefix(name));
    match (fits, column.counted, &column.references) {
        (false, ..) => 0,
        (_, true, _) => score.min(1),
        (_, _, Some(_)) => score / 3,
        // What identifies a message, where messages are kept.
        _ if score == 10 && words::speaks_of_messages(&table.name) => 60,
        _ => score,
    }
}

/// What was said of the key and the scope.
fn said(table: &CatalogueTable, answers: &Answers) -> Option<KeyProposal> {
    let columns = |names: &Option<ColumnNames>, role: Role| match names {
        Some(ColumnNames::These(names)) => Some(names.clone()),
        _ => Some(answers.columns_of(role)).filter(|columns| !columns.is_empty()),
    };
    let key = columns(&answers.key, Role::Key)?;
    let unique = |columns: &[String]| {
        table.uniques.iter().any(|unique| {
            unique.columns.iter().all(|column| column.as_ref().is_some_and(|column| columns.contains(column)))
        })
    };
    let scope = columns(&answers.scope, Role::Scope).unwrap_or_else(|| {
        // The rest of the unique key that it is part of.
        let of = table
            .uniques
            .iter()
            .filter_map(|unique| unique.columns.iter().cloned().collect::<Option<Vec<_>>>());
        let mut of = of.filter(|columns| key.iter().all(|column| columns.contains(column)));
        of.next().unwrap_or_default()
    });
    let scope: Vec<String> = scope.into_iter().filter(|column| !key.contains(column)).collect();
    Some(KeyProposal {
        score: 100,
        unique: unique(&[key.clone(), scope.clone()].concat()),
        why_key: "you said so".into(),
        why_scope: "you said so".into(),
        questions: Vec::new(),
        key,
        scope,
    })
}

/// Finds them; `None` where nothing tells one row's key from another's.
pub(crate) fn propose(table: &CatalogueTable, moments: &Moments, answers: &Answers) -> Option<KeyProposal> {
    if let Some(said) = said(table, answers) {
        return Some(said);
    }
    let mut proposal = by_rules(table, moments)?;
    if let Some(ColumnNames::These(scope)) = &answers.scope {
        // What else the unique key has is the key.
        let both = [proposal.key.clone(), proposal.scope.clone()].concat();
        let key: Vec<String> = both.iter().filter(|column| !scope.contains(column)).cloned().collect();
        if key.is_empty() {
            proposal.questions.push(
                Question::new(
                    "key",
                    "key",
                    "all columns of the unique key were said to be its scope: which are the key?",
                )
                .on(&both)
                .with(choices("key", &proposal.key)),
            );
        } else {
            proposal.key = key;
        }
        proposal.scope = scope.iter().filter(|column| !proposal.key.contains(column)).cloned().collect();
        proposal.why_scope = "you said so".into();
    }
    let is_answered = |question: &Question| match question.id.as_str() {
        "key" => answers.key.is_some(),
        _ => answers.scope.is_some(),
    };
    proposal.questions.retain(|question| !is_answered(question));
    Some(proposal)
}

fn by_rules(table: &CatalogueTable, moments: &Moments) -> Option<KeyProposal> {
    // A surrogate names a row, and no request.
    let is_surrogate = |name: &String| {
        table.column(name).is_some_and(|column| {
            let default = column.default.as_deref().unwrap_or_default().to_ascii_lowercase();
            column.counted || ["uuid", "random", "nextval"].iter().any(|made| default.contains(made))
        })
    };
    let mut best: Option<(u32, Vec<String>, bool, bool)> = None;
    for unique in &table.uniques {
        let Some(columns) = unique.columns.iter().cloned().collect::<Option<Vec<String>>>() else { continue };
        // A table in partitions carries the partitions' clock in every unique key.
        let kept: Vec<String> =
            columns.iter().filter(|column| moments.of(column).is_none()).cloned().collect();
        if kept.is_empty() {
            continue;
        }
        let points =
            kept.iter().filter(|column| !is_surrogate(column)).map(|column| score(table, column)).max();
        let points = points.unwrap_or(0);
        let narrowed = kept.len() < columns.len();
        let better = match &best {
            None => true,
            Some((other, others, ..)) => {
                let natural = |columns: &[String]| !columns.iter().all(is_surrogate);
                (points, natural(&kept), usize::MAX - kept.len())
                    > (*other, natural(others), usize::MAX - others.len())
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
        let outside: Vec<String> = table
            .columns
            .iter()
            .filter(|column| column.name != *named && !column.counted && moments.of(&column.name).is_none())
            .filter(|column| words::is_scope(&column.name) || (column.not_null && column.default.is_none()))
            .filter(|column| matches!(column.family, Family::Text | Family::Integer | Family::Other))
            .map(|column| column.name.clone())
            .collect();
        return Some(KeyProposal {
            key: vec![named.clone()],
            scope: Vec::new(),
            score: named_score,
            unique: false,
            why_key: "its name says that it is the key".into(),
            why_scope: String::new(),
            questions: vec![
                Question::new(
                    "key",
                    "key",
                    "no unique key holds two rows of this key apart: which columns identify a row?",
                )
                .on(std::slice::from_ref(named))
                .with(choices("key", std::slice::from_ref(named))),
                Question::new(
                    "scope",
                    "scope",
                    "and which columns say whose key it is, or what it was made to, if any?",
                )
                .on(&outside)
                .with(choices("scope", &outside)),
            ],
        });
    }
    let (points, columns, primary, narrowed) = best?;
    let what = if primary { "the primary key" } else { "a unique key" };
    let key: Vec<String> = if columns.len() == 1 {
        columns.clone()
    } else {
        // The surest name; of several equal ones the last, as scopes are written first.
        let surest = columns.iter().max_by_key(|column| score(table, column)).cloned();
        match surest {
            Some(column) if points >= 40 => vec![column],
            // Whose it is, and what it is.
            _ => {
                // A part that may be NULL is no key.
                let is_own = |name: &&String| {
                    !words::is_scope(name) && table.column(name).is_none_or(|column| column.not_null)
                };
                let own: Vec<String> = columns.iter().filter(is_own).cloned().collect();
                if own.is_empty() { columns.clone() } else { own }
            }
        }
    };
    let scope: Vec<String> = columns.iter().filter(|column| !key.contains(column)).cloned().collect();
    let mut about_key = Vec::new();
    if narrowed {
        about_key.push(format!(
            "{what} also holds a clock, so that a key can exist once for each of its values: does the application \
             look up a key without it?"
        ));
    }
    // A key that is the table's only one, and no surrogate, needs no name.
    let others = table.uniques.iter().filter(|unique| {
        let known: Option<Vec<String>> = unique.columns.iter().cloned().collect();
        known.is_some_and(|known| !known.iter().all(is_surrogate) && known != columns)
    });
    let is_surrogate_key = columns.iter().all(is_surrogate);
    // A number in each row may be counted by the application.
    let is_number = |name: &String| table.column(name).is_some_and(|column| column.family == Family::Integer);
    let may_be_counted = columns.len() == 1
        && columns.iter().all(is_number)
        && table.columns.iter().any(|column| {
            !columns.contains(&column.name)
                && column.not_null
                && column.default.is_none()
                && matches!(column.family, Family::Text | Family::Bytes | Family::Other)
                && (words::is_reference(&column.name) || score(table, &column.name) > points)
        });
    if points < 40 && (is_surrogate_key || may_be_counted || others.count() > 0) {
        about_key.push(format!(
            "only {what} says so, no name does: is this what a client sends again with a retry?"
        ));
    }
    let mut about_scope = Vec::new();
    if scope.len() >= 3 {
        about_scope.push(
            "a wide unique key: which of its columns are the key, and which the scope (whose key it is)?"
                .to_owned(),
        );
    }
    let outside: Vec<&str> = table
        .columns
        .iter()
        .filter(|column| !columns.contains(&column.name) && words::is_scope(&column.name))
        .filter(|column| !words::is_request_hash(&column.name) && moments.of(&column.name).is_none())
        .filter(|column| presets::of(table).is_none_or(|preset| preset.part(&column.name).is_none()))
        .map(|column| column.name.as_str())
        .collect();
    if !outside.is_empty() {
        about_scope.push(format!(
            "stored, but not part of the unique key: {}. Does a key belong to it all the same, or does this \
             configuration mean only rows of one of its values (guard)?",
            outside.join(", ")
        ));
    }
    let mut questions = Vec::new();
    if !about_key.is_empty() {
        questions.push(Question::new("key", "key", about_key.join("; ")).on(&key).with(choices("key", &key)));
    }
    if !about_scope.is_empty() {
        let asked: Vec<String> =
            scope.iter().cloned().chain(outside.iter().map(|name| (*name).to_owned())).collect();
        let mut options = choices("scope", &asked);
        if !outside.is_empty() {
            options.push(Choice::new("scope = []", "none"));
        }
        questions.push(Question::new("scope", "scope", about_scope.join("; ")).on(&asked).with(options));
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

/// That it is as proposed, or these columns.
fn choices<S: AsRef<str>>(id: &str, columns: &[S]) -> Vec<Choice> {
    let mut choices = vec![Choice::new(format!("{id} = \"yes\""), "as proposed")];
    if !columns.is_empty() {
        choices.push(Choice::new(format!("{id} = {}", toml::strings(columns)), "these columns"));
    }
    choices
}

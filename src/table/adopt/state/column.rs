//! A column whose values are states.

use super::{Shape, StateProposal, StateValues};
use crate::protocol::Status;
use crate::table::adopt::explain::Context;
use crate::table::adopt::facts::CatalogueColumn;
use crate::table::adopt::look::Occurrence;
use crate::table::adopt::questions::{self, RuleAnswer, ValueMeaning};
use crate::table::adopt::values;
use crate::table::adopt::words;
use crate::table::{Family, Literal};

/// So few rows say little of the values that there are.
pub(super) const FEW_ROWS: usize = 5;

/// A value as it was written.
pub(super) fn plain(value: &Literal) -> String {
    match value {
        Literal::Text(text) => text.clone(),
        other => crate::table::adopt::toml::literal(other),
    }
}

pub(super) fn meaning(value: &Literal) -> Option<Status> {
    match value {
        Literal::Text(text) => words::state_value(text),
        _ => None,
    }
}

/// The values that occur, in the column's own type. What is longer than a state ever is was cut.
pub(super) fn occurring(column: &CatalogueColumn, seen: &[Occurrence]) -> Vec<Literal> {
    let literal = |seen: &Occurrence| {
        if seen.text.contains('\0') || seen.text.chars().count() >= crate::table::adopt::SAMPLE_CHARACTERS {
            return None;
        }
        questions::literal(column, &seen.text)
    };
    seen.iter().filter_map(literal).collect()
}

/// All values that are known, and whether there can be others.
pub(super) fn known(column: &CatalogueColumn, context: &Context<'_>) -> (Vec<Literal>, bool) {
    if let Some(values) = values::closed(column, context.table) {
        return (values, true);
    }
    if column.family == Family::Boolean {
        return (vec![Literal::Bool(false), Literal::Bool(true)], true);
    }
    let mut values: Vec<Literal> = values::default(column).into_iter().collect();
    for value in occurring(column, &context.samples.of(&column.name)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    (values, false)
}

/// A column by its values: what their names say, a framework, and answers over both.
pub(super) fn of_column(column: &CatalogueColumn, context: &Context<'_>, why: &str) -> StateProposal {
    let (mut known, closed) = known(column, context);
    let answered = context.answers.values.get(&column.name);
    let mut given: Vec<(Option<Literal>, ValueMeaning)> = Vec::new();
    let preset = context.preset.and_then(|preset| preset.part(&column.name));
    for (text, meaning) in preset.map_or(&[][..], |part| part.values) {
        given.extend(questions::literal(column, text).map(|value| (Some(value), *meaning)));
    }
    for (text, meaning) in answered.into_iter().flatten() {
        let value = match text {
            Some(text) => match questions::literal(column, text) {
                Some(value) => Some(value),
                None => continue,
            },
            None => None,
        };
        given.retain(|(other, _)| *other != value);
        given.push((value, *meaning));
    }
    for (value, _) in &given {
        if let Some(value) = value
            && !known.contains(value)
        {
            known.push(value.clone());
        }
    }
    // What is written when the work has failed means that it has.
    if let Some(RuleAnswer::Set { set, .. }) = &context.answers.fail
        && let Some((_, value)) = set.iter().find(|(name, _)| *name == column.name)
        && let Some(value) = questions::literal(column, &plain(value))
        && !given.iter().any(|(other, _)| other.as_ref() == Some(&value))
    {
        if !known.contains(&value) {
            known.push(value.clone());
        }
        given.push((Some(value), ValueMeaning::Failed));
    }
    let folded = |value: &Literal| match value {
        Literal::Text(text) => text.to_lowercase(),
        other => other.to_string(),
    };
    let mut state = StateValues { column: column.name.clone(), closed, ..StateValues::default() };
    for (place, value) in known.iter().enumerate() {
        // Of values that differ in their case alone the rarer ones are somebody's mistake, and nobody knows what
        // they mean.
        let earlier = !closed && known[..place].iter().any(|other| folded(other) == folded(value));
        let said = given.iter().find(|(other, _)| other.as_ref() == Some(value)).map(|(_, meaning)| *meaning);
        let by_name = meaning(value).filter(|_| !earlier).map(|status| match status {
            Status::InProgress => ValueMeaning::InProgress,
            Status::Completed => ValueMeaning::Completed,
            Status::Failed => ValueMeaning::Failed,
        });
        match said.or(by_name) {
            Some(ValueMeaning::InProgress) => state.in_progress.push(value.clone()),
            Some(ValueMeaning::Completed) => state.completed.push(value.clone()),
            Some(ValueMeaning::Failed) => state.failed.push(value.clone()),
            Some(ValueMeaning::Keep) => state.keep.push(value.clone()),
            None => state.unclear.push(Some(value.clone())),
        }
    }
    state.null = given.iter().find(|(value, _)| value.is_none()).map(|(_, meaning)| *meaning);
    let looked = !context.samples.rows.is_empty();
    let may_be_null = !column.not_null && (!looked || context.samples.nulls(&column.name) > 0);
    if may_be_null && state.null.is_none() && answered.is_none() {
        state.unclear.push(None);
    }
    // An answer that leaves a value out leaves it alone on purpose.
    state.ask = answered.is_none()
        && (!state.unclear.is_empty()
            || preset.is_some_and(|part| part.more && context.samples.rows.is_empty())
            || preset.is_none() && !closed && (state.completed.is_empty() || state.in_progress.is_empty())
            // A handful of rows does not show all values that there can be.
            || preset.is_none() && !closed && context.samples.rows.len() < FEW_ROWS);
    state.known = known;
    StateProposal::new(Shape::Column(state), why)
}

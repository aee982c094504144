//! How a row says that its work is done.

mod column;
mod rules;

use super::explain::{Context, Explanation, Suspect};
use super::facts::CatalogueColumn;
use super::look::Samples;
use super::questions::{self, ValueMeaning};
use super::roles::Role;
use super::values;
use super::words::{self, AnswerPart};
use crate::table::{Family, Literal};
use column::of_column;
use rules::by_rules;

/// The shape, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A column's values.
    Column(StateValues),
    /// NULL in all of them is in progress.
    Null(Vec<String>),
    /// A value in one of the columns that mark it is in progress, and nothing else says so.
    Set,
    /// A row that exists is done.
    Always,
    /// It can't be known; perhaps one of these.
    Ask(Vec<String>),
}

/// A column whose values are states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct StateValues {
    pub(crate) column: String,
    pub(crate) in_progress: Vec<Literal>,
    pub(crate) completed: Vec<Literal>,
    pub(crate) failed: Vec<Literal>,
    pub(crate) keep: Vec<Literal>,
    /// What NULL means.
    pub(crate) null: Option<ValueMeaning>,
    /// All values that are known, in their order.
    pub(crate) known: Vec<Literal>,
    /// The values are all that the column can hold.
    pub(crate) closed: bool,
    /// Values whose meaning is not clear; `None` is NULL.
    pub(crate) unclear: Vec<Option<Literal>>,
    /// Whether the values have to be asked about.
    pub(crate) ask: bool,
}

/// The state, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StateProposal {
    pub(crate) shape: Shape,
    pub(crate) why: String,
    /// Whether a NULL may also be a finished row.
    pub(crate) ask_null: bool,
    /// Columns that mark a row as in progress while they are set, whatever else it says, and which values in them
    /// are none.
    pub(crate) marks: Vec<(String, Vec<Literal>)>,
    /// Other columns that no rule explains, and nobody: each may say "unfinished" as well, or that a row stays.
    pub(crate) others: Vec<String>,
}

impl StateProposal {
    fn new(shape: Shape, why: impl Into<String>) -> Self {
        Self { shape, why: why.into(), ask_null: false, marks: Vec::new(), others: Vec::new() }
    }

    /// Whether rows can be in progress, as far as anybody knows.
    pub(crate) fn can_be_in_progress(&self) -> bool {
        self.shape != Shape::Always
    }

    /// Whether it is known.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.shape, Shape::Ask(_))
    }

    /// The columns that tell it.
    pub(crate) fn columns(&self) -> Vec<String> {
        let mut columns = match &self.shape {
            Shape::Column(values) => vec![values.column.clone()],
            Shape::Null(columns) => columns.clone(),
            Shape::Set | Shape::Always | Shape::Ask(_) => Vec::new(),
        };
        columns.extend(self.marks.iter().map(|(column, _)| column.clone()));
        columns
    }
}

/// The values of a column that is set while somebody works on a row which mean that nobody does.
fn unset(column: &CatalogueColumn, context: &Context<'_>) -> Vec<Literal> {
    if column.family == Family::Boolean {
        return Vec::new();
    }
    let said = context.answers.values.get(&column.name).into_iter().flatten();
    let said: Vec<Literal> = said
        .filter(|(_, meaning)| *meaning == ValueMeaning::Completed)
        .filter_map(|(text, _)| questions::literal(column, text.as_deref()?))
        .collect();
    if said.is_empty() { values::default(column).into_iter().collect() } else { said }
}

/// The parts of the answer that the table keeps.
pub(crate) fn answers<'t>(
    context: &Context<'t>,
    findings: &[Explanation],
) -> Vec<(AnswerPart, &'t CatalogueColumn)> {
    let part = |finding: &Explanation| {
        let answer = finding.roles.iter().find_map(|role| match role {
            Role::ResponseStatus => Some(AnswerPart::Status),
            Role::ResponseHeaders => Some(AnswerPart::Headers),
            Role::ResponseBody => Some(AnswerPart::Body),
            _ => None,
        })?;
        Some((answer, context.table.column(&finding.column)?))
    };
    findings.iter().filter_map(part).collect()
}

/// Whether a column tells two kinds of rows apart exactly as the other one is NULL in them or not.
fn agrees(samples: &Samples, column: &str, other: &str) -> bool {
    const FEW: usize = 20;
    let (cells, others) = (samples.cells(column), samples.cells(other));
    let (mut open, mut done) = (Vec::new(), Vec::new());
    for (cell, other) in cells.iter().zip(&others) {
        if other.is_none() { &mut open } else { &mut done }.push(*cell);
    }
    open.len() >= 3 && done.len() >= FEW && open.iter().all(|cell| !done.contains(cell))
}

/// Finds it, and what else may say it.
pub(crate) fn propose(context: &Context<'_>, findings: &[Explanation]) -> StateProposal {
    let mut state = find(context, findings);
    state.others = others(context, findings, &state);
    state
}

/// Columns beside the one that tells the state. Whoever was asked about the state was shown them; what a framework
/// has is known; a clock is asked about as one.
fn others(context: &Context<'_>, findings: &[Explanation], state: &StateProposal) -> Vec<String> {
    let told = state.columns();
    if told.is_empty() || context.answers.state || context.answers.others || context.preset.is_some() {
        return Vec::new();
    }
    let is_open = |finding: &&Explanation| {
        finding.roles.is_empty()
            && matches!(finding.suspect, Some(Suspect::Values | Suspect::Null))
            && !told.contains(&finding.column)
            && context.answers.roles(&finding.column).is_none()
            && !words::is_claim_token(&finding.column)
            // What it made is no state of its own.
            && !(finding.suspect == Some(Suspect::Null)
                && words::is_reference(&finding.column)
                && !words::is_of_work(&finding.column))
            && context.table.column(&finding.column).is_some_and(|column| !context.is_shown_clock(column))
    };
    findings.iter().filter(is_open).map(|finding| finding.column.clone()).collect()
}

fn find(context: &Context<'_>, findings: &[Explanation]) -> StateProposal {
    let table = context.table;
    let with = |role: Role| -> Vec<String> {
        let named = findings.iter().filter(|finding| finding.roles.contains(&role));
        named.map(|finding| finding.column.clone()).collect()
    };
    let said = "you said so";
    let by_whom = |column: &str| match (context.answers.roles(column), context.preset) {
        (None, Some(preset)) => format!("so in {}", preset.name),
        _ => said.to_owned(),
    };
    let marks: Vec<(String, Vec<Literal>)> = with(Role::SetMeans)
        .into_iter()
        .filter_map(|name| Some((unset(table.column(&name)?, context), name)))
        .map(|(unset, name)| (name, unset))
        .collect();
    let with_marks = |state: StateProposal| StateProposal { marks: marks.clone(), ..state };
    if let Some(column) = with(Role::State).first().and_then(|name| table.column(name)) {
        return with_marks(of_column(column, context, &by_whom(&column.name)));
    }
    let null = with(Role::NullMeans);
    if let Some(first) = null.first() {
        let why = by_whom(first);
        // What the rules take for such a sign is one beside it, unless the state itself was told.
        let mut all = match by_rules(context, findings).shape {
            Shape::Null(columns) if !context.answers.state => columns,
            _ => Vec::new(),
        };
        all.extend(null.into_iter().filter(|column| !all.contains(column)).collect::<Vec<_>>());
        return with_marks(StateProposal::new(Shape::Null(all), why));
    }
    if !marks.is_empty() {
        return with_marks(StateProposal::new(Shape::Set, said));
    }
    if context.answers.state {
        return StateProposal::new(Shape::Always, "a row that exists is done: you said so");
    }
    by_rules(context, findings)
}

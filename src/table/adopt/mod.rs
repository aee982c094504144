//! From what the catalogue says of a table to a mapping that describes it: pure, no database.
//!
//! The hard rule: a mapping that is used as it is proposed deletes no row that may be live. What decides
//! about deletions and is not known for sure is proposed, but not in force until somebody says so; where
//! a mapping must say something, it says what keeps rows.

mod clocks;
mod explain;
mod facts;
mod key;
mod look;
mod presets;
mod questions;
mod rank;
mod roles;
mod sections;
mod state;
mod toml;
mod values;
mod words;

use crate::sql::Dialect;
use crate::table::Ident;

pub(crate) use clocks::ClockProposal;
pub(crate) use facts::{CatalogueColumn, CatalogueTable, UniqueFacts};
pub(crate) use look::{Cell, Samples, Storage};
pub(crate) use questions::{Answers, Choice, ColumnNames, Question, RuleAnswer, SpanAnswer, ValueMeaning};
pub(crate) use rank::{Candidate, is_own, rank};
pub(crate) use roles::{Account, Fate, Role};
pub(crate) use state::Shape;
pub(crate) use values::{checks_in, predicate_in};

use clocks::Moments;
use explain::{Context, Explanation};

/// So many characters of a value are looked at.
pub(crate) const SAMPLE_CHARACTERS: usize = 64;

/// One line of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The setting, as errors name it: `table.clock.expires`.
    pub(crate) setting: String,
    /// As TOML.
    pub(crate) toml: String,
    /// In force; else it stands there as a comment until somebody says so.
    pub(crate) active: bool,
    /// Why.
    pub(crate) reason: String,
    /// What has to be asked about it.
    pub(crate) questions: Vec<Question>,
}

/// Lines below one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// `[table.clock]`; the first one has `[[table]]`.
    pub(crate) header: &'static str,
    /// The lines.
    pub(crate) lines: Vec<Line>,
}

/// A mapping, why it is so, what became of each column, and what has to be asked.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    /// The table, as a configuration names it.
    pub(crate) table: String,
    pub(crate) key: Vec<String>,
    pub(crate) scope: Vec<String>,
    pub(crate) shape: Shape,
    /// Columns that mark a row as in progress while they are set.
    pub(crate) marks: Vec<String>,
    pub(crate) clocks: Vec<ClockProposal>,
    pub(crate) sections: Vec<Section>,
    /// Every column of the table, once.
    pub(crate) accounts: Vec<Account>,
    /// The framework that the table's columns are of.
    pub(crate) preset: Option<&'static str>,
    /// What restricts the rows that were looked at.
    pub(crate) partial: Option<&'static str>,
}

impl Proposal {
    /// All questions, in the order of the lines.
    pub(crate) fn questions(&self) -> impl Iterator<Item = (&Line, &Question)> {
        let lines = self.sections.iter().flat_map(|section| &section.lines);
        lines.flat_map(|line| line.questions.iter().map(move |question| (line, question)))
    }
}

/// A text as TOML.
pub(crate) fn quoted(text: &str) -> String {
    toml::string(text)
}

/// A name as a key of TOML.
pub(crate) fn quoted_key(name: &str) -> String {
    toml::key(name)
}

/// Several names in a sentence.
pub(crate) fn names<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

/// The column by whose order an index finds the newest rows.
pub(crate) fn newest_first(table: &CatalogueTable) -> Option<&str> {
    let is_new = |name: &&String| {
        let column = table.column(name);
        column.is_some_and(|column| {
            column.counted || words::moment(name).is_some() && roles::can_be_clock(column)
        })
    };
    let rank = |name: &String| match words::moment(name) {
        Some(words::Moment::Created | words::Moment::Came) => 0,
        None => 1,
        Some(_) => 2,
    };
    let mut ordered: Vec<&String> = table.ordered.iter().filter(is_new).collect();
    ordered.sort_by_key(|name| rank(name));
    ordered.first().map(|name| name.as_str())
}

/// The table without the columns that no mapping could name.
fn mappable(table: &CatalogueTable) -> CatalogueTable {
    let mut table = table.clone();
    table.columns.retain(|column| Ident::new(column.name.as_str()).is_ok());
    let known: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let is_known = |column: &Option<String>| column.as_ref().is_none_or(|name| known.contains(name));
    table.uniques.retain(|unique| unique.columns.iter().all(is_known));
    table
}

/// Whether the columns are those of a table that is there for its keys alone: each has a part in them.
fn is_dedicated(table: &CatalogueTable, findings: &[Explanation], answers: &Answers) -> bool {
    let has_part = |finding: &Explanation| {
        let name = finding.column.as_str();
        !finding.roles.is_empty()
            || table.column(name).is_none_or(|column| column.counted)
            || words::is_of_keys(name)
            || answers.roles(name).is_some()
    };
    words::says_idempotent(&table.name) || findings.iter().all(has_part)
}

/// The mapping of a table; `None` where nothing in it could be a key.
pub(crate) fn propose(
    whole: &CatalogueTable,
    dialect: Dialect,
    samples: &Samples,
    answers: &Answers,
) -> Option<Proposal> {
    let table = &mappable(whole);
    let moments = Moments::find(table, dialect, samples);
    let key = key::propose(table, &moments, answers)?;
    let context = Context::new(table, &key, &moments, samples, answers);
    let findings = context.explain();
    let mut state = state::propose(&context, &findings);
    // What no mapping can name could say anything.
    if table.columns.len() < whole.columns.len() && state.shape == Shape::Always && !answers.state {
        state.shape = Shape::Ask(Vec::new());
        "a column has a name that no mapping can have".clone_into(&mut state.why);
    }
    let clocks =
        clocks::propose(&context, &findings, dialect, &state, is_dedicated(table, &findings, answers));
    let mut mapping = sections::Draft::new(&context, &findings, &state, &clocks);
    let sections = mapping.sections();
    let accounts = mapping.accounts();
    debug_assert!(roles::is_complete(table, &accounts), "{accounts:?}");
    Some(Proposal {
        table: table.config_name(),
        shape: state.shape.clone(),
        marks: state.marks.iter().map(|(column, _)| column.clone()).collect(),
        clocks: clocks.clocks.clone(),
        sections: sections.into_iter().filter(|section| !section.lines.is_empty()).collect(),
        accounts,
        preset: context.preset.map(|preset| preset.name),
        partial: table.row_security.then_some("row level security may hide rows from this role"),
        key: key.key,
        scope: key.scope,
    })
}

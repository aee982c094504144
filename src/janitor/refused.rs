//! Rows that the database refuses to a pass: a constraint, a trigger, a policy, a row of another table.

use crate::words::number_of;

/// So many of them are named; all of them are counted.
const NAMED: usize = 20;

/// A row that the database refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRow {
    /// Its key.
    pub key: String,
    /// Its scope.
    pub scope: String,
    /// What the database said.
    pub reason: String,
}

impl std::fmt::Display for RefusedRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.scope.as_str() {
            "" => write!(f, "{}: {}", self.key, self.reason),
            scope => write!(f, "{} (scope {scope}): {}", self.key, self.reason),
        }
    }
}

/// How many rows the database refused, and the first of them by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refused {
    /// All of them.
    pub rows: u64,
    /// The first 20.
    pub named: Vec<RefusedRow>,
}

impl Refused {
    pub(super) fn extend(&mut self, rows: impl IntoIterator<Item = RefusedRow>) {
        for row in rows {
            self.rows += 1;
            if self.named.len() < NAMED {
                self.named.push(row);
            }
        }
    }

    /// What is said of them; `None` where there are none.
    pub(super) fn warning(&self, verb: &str) -> Option<(&'static str, String)> {
        let first = self.named.first()?;
        let rows = number_of(self.rows, "row");
        Some(("refused", format!("{rows} not {verb}, since the database refused it; the first: {first}")))
    }
}

//! How a table writes the three states.

use super::{Columns, Family, Ident};
use crate::protocol::Status;
use crate::store::{Dialect, Value};

/// A value of the mapping, as it stands in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// Text, and whatever is written like text: an enum's value, a UUID.
    Text(String),
    /// A whole number.
    Int(i64),
    /// True or false.
    Bool(bool),
}

impl Literal {
    /// As SQL. PostgreSQL takes a quoted literal in the type of the column that it is compared with.
    pub(crate) fn sql(&self, dialect: Dialect) -> String {
        match (self, dialect) {
            (Self::Text(text), _) => literal(text),
            (Self::Int(number), Dialect::Postgres) => format!("'{number}'"),
            (Self::Int(number), Dialect::Sqlite) => number.to_string(),
            (Self::Bool(flag), Dialect::Postgres) => format!("'{flag}'"),
            (Self::Bool(flag), Dialect::Sqlite) => i64::from(*flag).to_string(),
        }
    }

    /// Whether SQLite finds a stored value equal to this one: what has another storage class is equal only
    /// where the column's declared type converts one of them.
    fn equals(&self, stored: &Value, family: Option<Family>) -> bool {
        let converts = family != Some(Family::Bytes);
        match (self, stored) {
            (Self::Text(text), Value::Text(Some(stored))) => text == stored,
            (Self::Text(text), Value::Int(Some(stored))) => converts && *text == stored.to_string(),
            (Self::Text(text), Value::Real(Some(stored))) => {
                converts && stored.whole().is_some_and(|stored| *text == stored.to_string())
            }
            (Self::Int(number), Value::Int(Some(stored))) => number == stored,
            (Self::Int(number), Value::Real(Some(stored))) => stored.whole() == Some(*number),
            (Self::Bool(flag), Value::Int(Some(stored))) => i64::from(*flag) == *stored,
            (Self::Bool(flag), Value::Real(Some(stored))) => stored.whole() == Some(i64::from(*flag)),
            (Self::Int(number), Value::Text(Some(stored))) => {
                family == Some(Family::Text) && *stored == number.to_string()
            }
            (Self::Bool(flag), Value::Text(Some(stored))) => {
                family == Some(Family::Text) && *stored == i64::from(*flag).to_string()
            }
            _ => false,
        }
    }

    /// Whether both stand for one value of a column, however they are written.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let text = |literal: &Self| match literal {
            Self::Text(text) => text.clone(),
            Self::Int(number) => number.to_string(),
            Self::Bool(flag) => flag.to_string(),
        };
        self == other || self.is(&text(other)) || other.is(&text(self))
    }

    /// Whether a stored value, read as text, is this one.
    fn is(&self, stored: &str) -> bool {
        match self {
            Self::Text(text) => text == stored,
            Self::Int(number) => number.to_string() == stored,
            Self::Bool(flag) => stored == flag.to_string() || stored == i64::from(*flag).to_string(),
        }
    }
}

/// How a table writes the three states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateMapping {
    /// One column whose values stand for states. A value that is not listed is never touched.
    Column {
        /// The column.
        column: Ident,
        /// The values that mean in progress.
        in_progress: Vec<Literal>,
        /// The values that mean completed.
        completed: Vec<Literal>,
        /// The values that mean failed.
        failed: Vec<Literal>,
        /// What NULL means, if anything.
        null: Option<Status>,
    },
    /// A row is in progress while all of these columns are NULL, and completed otherwise.
    NullMeansInProgress(Vec<Ident>),
    /// A row that exists is in this state.
    Always(Status),
}

impl StateMapping {
    /// The state that a stored value stands for; `None` for a value that is not listed.
    pub fn status(&self, stored: Option<&str>) -> Option<Status> {
        match self {
            Self::Column { in_progress, completed, failed, null, .. } => {
                let Some(stored) = stored else { return *null };
                let listed = |values: &[Literal]| values.iter().any(|value| value.is(stored));
                if listed(in_progress) {
                    Some(Status::InProgress)
                } else if listed(completed) {
                    Some(Status::Completed)
                } else if listed(failed) {
                    Some(Status::Failed)
                } else {
                    None
                }
            }
            // The statement itself answers with the state's name.
            Self::NullMeansInProgress(_) | Self::Always(_) => {
                Status::ALL.into_iter().find(|status| Some(status.as_str()) == stored)
            }
        }
    }

    /// The state that a value stands for as it was read.
    pub(crate) fn status_of(&self, stored: Option<&Value>, columns: &Columns) -> Option<Status> {
        match (self, stored, columns.dialect) {
            (Self::Column { column, in_progress, completed, failed, .. }, Some(stored), Dialect::Sqlite) => {
                let family = columns.family(column);
                let listed = |values: &[Literal]| values.iter().any(|value| value.equals(stored, family));
                [(in_progress, Status::InProgress), (completed, Status::Completed), (failed, Status::Failed)]
                    .into_iter()
                    .find_map(|(values, status)| listed(values).then_some(status))
            }
            (_, Some(Value::Text(Some(text))), _) => self.status(Some(text)),
            (_, None, _) => self.status(None),
            _ => None,
        }
    }

    /// Whether a row can be in this state.
    pub(crate) fn has(&self, status: Status) -> bool {
        match self {
            Self::Column { in_progress, completed, failed, null, .. } => {
                let values = match status {
                    Status::InProgress => in_progress,
                    Status::Completed => completed,
                    Status::Failed => failed,
                };
                !values.is_empty() || *null == Some(status)
            }
            Self::NullMeansInProgress(_) => status != Status::Failed,
            Self::Always(always) => *always == status,
        }
    }

    /// The stored value as SQL.
    pub(crate) fn value(&self, columns: &Columns) -> String {
        let dialect = columns.dialect;
        match self {
            Self::Column { column, .. } => column.quoted(dialect),
            Self::NullMeansInProgress(_) => format!(
                "CASE WHEN {} THEN 'in_progress' ELSE 'completed' END",
                self.is(&[Status::InProgress], columns)
            ),
            Self::Always(status) => format!("CAST('{}' AS text)", status.as_str()),
        }
    }

    /// A condition that holds for rows in one of these states and for no row of unknown state.
    pub(crate) fn is(&self, statuses: &[Status], columns: &Columns) -> String {
        let terms = self.terms(statuses, columns);
        if let [one] = terms.as_slice() { one.clone() } else { format!("({})", terms.join(" AND ")) }
    }

    /// The same condition as what has to hold together.
    pub(crate) fn terms(&self, statuses: &[Status], columns: &Columns) -> Vec<String> {
        let dialect = columns.dialect;
        vec![match self {
            Self::Column { column, in_progress, completed, failed, null } => {
                let literals: Vec<&Literal> = statuses
                    .iter()
                    .flat_map(|status| match status {
                        Status::InProgress => in_progress,
                        Status::Completed => completed,
                        Status::Failed => failed,
                    })
                    .collect();
                let values: Vec<String> = literals.iter().map(|value| value.sql(dialect)).collect();
                let is_text = literals.iter().any(|value| matches!(value, Literal::Text(_)));
                let exact = columns.exact(column).filter(|_| is_text);
                let column = column.quoted(dialect);
                let one_of = |column: &str| match values.as_slice() {
                    [] => None,
                    // As partial indexes have it: SQLite compares the words.
                    [one] => Some(format!("{column} = {one}")),
                    several => Some(format!("{column} IN ({})", several.join(", "))),
                };
                let null = null.filter(|null| statuses.contains(null));
                let listed = match (one_of(&column), exact.and_then(|exact| one_of(&exact))) {
                    (Some(listed), Some(exact)) if null.is_none() => return vec![listed, exact],
                    (Some(listed), Some(exact)) => Some(format!("({listed} AND {exact})")),
                    (listed, _) => listed,
                };
                match (listed, null) {
                    (None, None) => "(1 = 0)".to_owned(),
                    (Some(listed), None) => listed,
                    (None, Some(_)) => format!("{column} IS NULL"),
                    (Some(listed), Some(_)) => format!("({listed} OR {column} IS NULL)"),
                }
            }
            Self::NullMeansInProgress(columns) => {
                let all_null = columns
                    .iter()
                    .map(|column| format!("{} IS NULL", column.quoted(dialect)))
                    .collect::<Vec<_>>()
                    .join(" AND ");
                match (statuses.contains(&Status::InProgress), statuses.contains(&Status::Completed)) {
                    (true, true) => "(1 = 1)".to_owned(),
                    (true, false) => format!("({all_null})"),
                    (false, true) => match columns.as_slice() {
                        // As a partial index would have it.
                        [one] => format!("{} IS NOT NULL", one.quoted(dialect)),
                        _ => format!("NOT ({all_null})"),
                    },
                    (false, false) => "(1 = 0)".to_owned(),
                }
            }
            Self::Always(status) => {
                (if statuses.contains(status) { "(1 = 1)" } else { "(1 = 0)" }).to_owned()
            }
        }]
    }

    /// The condition that the state is none of the three; `None` where it always is one.
    pub(crate) fn is_unknown(&self, columns: &Columns) -> Option<String> {
        match self {
            Self::Column { .. } => Some(format!("({}) IS NOT TRUE", self.is(&Status::ALL, columns))),
            Self::NullMeansInProgress(_) | Self::Always(_) => None,
        }
    }
}

/// A text as a string literal. These come from the mapping, not from a request; quoting doubles
/// quotes, and both dialects take backslashes as they are.
pub(crate) fn literal(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(values: &[&str]) -> Vec<Literal> {
        values.iter().map(|value| Literal::Text((*value).to_owned())).collect()
    }

    #[test]
    fn unknown_states_are_in_no_condition() {
        let mut state = StateMapping::Column {
            column: Ident::new("st'ate").unwrap(),
            in_progress: text(&["it's open"]),
            completed: text(&["done", "paid"]),
            failed: vec![],
            null: None,
        };
        let sql = |state: &StateMapping, statuses: &[Status]| {
            state.is(statuses, &Columns::owned(Dialect::Postgres))
        };
        assert_eq!(sql(&state, &[Status::InProgress]), r#""st'ate" = 'it''s open'"#);
        assert_eq!(sql(&state, &[Status::Completed, Status::Failed]), r#""st'ate" IN ('done', 'paid')"#);
        assert_eq!(sql(&state, &[Status::Failed]), "(1 = 0)");
        assert_eq!(state.status(Some("paid")), Some(Status::Completed));
        assert_eq!(state.status(Some("else")), None);
        assert_eq!(state.status(None), None);
        if let StateMapping::Column { null, .. } = &mut state {
            *null = Some(Status::InProgress);
        }
        assert_eq!(state.status(None), Some(Status::InProgress));
        assert_eq!(sql(&state, &[Status::InProgress]), r#"("st'ate" = 'it''s open' OR "st'ate" IS NULL)"#);
    }

    #[test]
    fn null_columns_mean_in_progress_only_together() {
        let column = |name: &str| Ident::new(name).unwrap();
        let state = StateMapping::NullMeansInProgress(vec![column("a"), column("b")]);
        let sql = |statuses: &[Status]| state.is(statuses, &Columns::owned(Dialect::Sqlite));
        assert_eq!(sql(&[Status::InProgress]), "(`a` IS NULL AND `b` IS NULL)");
        assert_eq!(sql(&[Status::Completed, Status::Failed]), "NOT (`a` IS NULL AND `b` IS NULL)");
    }

    #[test]
    fn presence_can_mean_done() {
        let (state, columns) = (StateMapping::Always(Status::Completed), Columns::owned(Dialect::Postgres));
        assert_eq!(state.is(&[Status::Completed, Status::Failed], &columns), "(1 = 1)");
        assert_eq!(state.is(&[Status::InProgress], &columns), "(1 = 0)");
    }

    #[test]
    fn numbers_and_flags_are_themselves() {
        assert_eq!(Literal::Int(2).sql(Dialect::Postgres), "'2'");
        assert_eq!(Literal::Bool(true).sql(Dialect::Sqlite), "1");
        assert!(
            Literal::Bool(true).is("1") && Literal::Bool(true).is("true") && !Literal::Bool(true).is("t")
        );
    }
}

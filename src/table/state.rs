//! How a table writes the three states.

use super::{Columns, Family, Ident};
use crate::protocol::Status;
use crate::sql::{Dialect, Value};

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
        let grammar = dialect.grammar();
        match self {
            Self::Text(text) => grammar.literal(text),
            Self::Int(number) => grammar.number(*number),
            Self::Bool(flag) => grammar.flag(*flag),
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

/// What a stored value stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// One of the three states.
    Status(Status),
    /// The row stays on purpose: no pass touches it, and none warns of it.
    Kept,
}

impl Meaning {
    fn is_one_of(self, statuses: &[Status]) -> bool {
        matches!(self, Self::Status(status) if statuses.contains(&status))
    }
}

/// How a table writes the three states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateMapping {
    /// What a row says of itself.
    pub shape: StateShape,
    /// While one of these is set, a settled row is in progress all the same.
    pub marks: Vec<Mark>,
}

/// What a row says of its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateShape {
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
        /// The values of rows that stay on purpose.
        keep: Vec<Literal>,
        /// What NULL means, if anything.
        null: Option<Meaning>,
    },
    /// A row is in progress while all of these columns are NULL, and completed otherwise.
    NullMeansInProgress(Vec<Ident>),
    /// A row that exists is in this state.
    Always(Status),
}

/// A column that is set while a worker is at the row: a lock, an owner, a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The column.
    pub column: Ident,
    /// The values that mean "not set" beside NULL. Where there are none, a flag is set while it is true, and any
    /// other column while it is not NULL.
    pub unset: Vec<Literal>,
}

impl Mark {
    /// The condition that it is set, or that it is not; true or false of every row.
    fn is_set(&self, set: bool, columns: &Columns) -> String {
        let dialect = columns.dialect;
        let column = self.column.quoted(dialect);
        let (is_null, not, or) = if set { ("IS NOT NULL", "NOT ", "AND") } else { ("IS NULL", "", "OR") };
        let unset = match (self.unset.as_slice(), columns.family(&self.column)) {
            ([], Some(Family::Boolean)) => return dialect.grammar().is_flag(&column, set),
            ([], _) => return format!("{column} {is_null}"),
            (values, _) => {
                let is_text = values.iter().any(|value| matches!(value, Literal::Text(_)));
                let exact = columns.exact(&self.column).filter(|_| is_text);
                let values: Vec<String> = values.iter().map(|value| value.sql(dialect)).collect();
                format!("{} {not}IN ({})", exact.unwrap_or_else(|| column.clone()), values.join(", "))
            }
        };
        format!("({column} {is_null} {or} {unset})")
    }
}

impl StateShape {
    /// What a stored value stands for; `None` for a value that is not listed.
    fn meaning(&self, stored: Option<&str>) -> Option<Meaning> {
        match self {
            Self::Column { null, .. } => match stored {
                None => *null,
                Some(stored) => self.listed(|value| value.is(stored)),
            },
            // The statement itself answers with the state's name.
            Self::NullMeansInProgress(_) | Self::Always(_) => {
                Status::ALL.into_iter().find(|status| Some(status.as_str()) == stored).map(Meaning::Status)
            }
        }
    }

    /// The same as it was read.
    fn meaning_of(&self, stored: Option<&Value>, columns: &Columns) -> Option<Meaning> {
        match (self, stored) {
            (Self::Column { column, .. }, Some(stored)) if columns.dialect.types_are_hints() => {
                let family = columns.family(column);
                self.listed(|value| value.equals(stored, family))
            }
            (_, Some(Value::Text(Some(text)))) => self.meaning(Some(text)),
            (_, None) => self.meaning(None),
            _ => None,
        }
    }

    /// What the listed value of which this holds stands for.
    fn listed(&self, is_it: impl Fn(&Literal) -> bool) -> Option<Meaning> {
        let Self::Column { in_progress, completed, failed, keep, .. } = self else { return None };
        [
            (in_progress, Meaning::Status(Status::InProgress)),
            (completed, Meaning::Status(Status::Completed)),
            (failed, Meaning::Status(Status::Failed)),
            (keep, Meaning::Kept),
        ]
        .into_iter()
        .find_map(|(values, meaning)| values.iter().any(&is_it).then_some(meaning))
    }

    /// Whether a row can say so.
    pub(crate) fn has(&self, status: Status) -> bool {
        match self {
            Self::Column { in_progress, completed, failed, null, .. } => {
                let values = match status {
                    Status::InProgress => in_progress,
                    Status::Completed => completed,
                    Status::Failed => failed,
                };
                !values.is_empty() || *null == Some(Meaning::Status(status))
            }
            Self::NullMeansInProgress(_) => status != Status::Failed,
            Self::Always(always) => *always == status,
        }
    }

    /// What has to hold together of a row that says one of these.
    fn terms(&self, statuses: &[Status], columns: &Columns) -> Vec<String> {
        let dialect = columns.dialect;
        match self {
            Self::Column { column, in_progress, completed, failed, null, .. } => {
                let literals: Vec<&Literal> = statuses
                    .iter()
                    .flat_map(|status| match status {
                        Status::InProgress => in_progress,
                        Status::Completed => completed,
                        Status::Failed => failed,
                    })
                    .collect();
                one_of(column, &literals, null.is_some_and(|null| null.is_one_of(statuses)), columns)
            }
            Self::NullMeansInProgress(columns) => {
                let all_null = columns
                    .iter()
                    .map(|column| format!("{} IS NULL", column.quoted(dialect)))
                    .collect::<Vec<_>>()
                    .join(" AND ");
                vec![match (statuses.contains(&Status::InProgress), statuses.contains(&Status::Completed)) {
                    (true, true) => EVERY_ROW.to_owned(),
                    (true, false) => format!("({all_null})"),
                    (false, true) => match columns.as_slice() {
                        // As a partial index would have it.
                        [one] => format!("{} IS NOT NULL", one.quoted(dialect)),
                        _ => format!("NOT ({all_null})"),
                    },
                    (false, false) => NO_ROW.to_owned(),
                }]
            }
            Self::Always(status) => {
                vec![(if statuses.contains(status) { EVERY_ROW } else { NO_ROW }).to_owned()]
            }
        }
    }
}

const EVERY_ROW: &str = "(1 = 1)";
const NO_ROW: &str = "(1 = 0)";

/// What has to hold together of a column that holds one of these values, or NULL.
fn one_of(column: &Ident, literals: &[&Literal], or_null: bool, columns: &Columns) -> Vec<String> {
    let dialect = columns.dialect;
    let values: Vec<String> = literals.iter().map(|value| value.sql(dialect)).collect();
    let is_text = literals.iter().any(|value| matches!(value, Literal::Text(_)));
    let exact = columns.exact(column).filter(|_| is_text);
    let column = column.quoted(dialect);
    let among = |column: &str| match values.as_slice() {
        [] => None,
        // As partial indexes have it: SQLite compares the words.
        [one] => Some(format!("{column} = {one}")),
        several => Some(format!("{column} IN ({})", several.join(", "))),
    };
    let listed = match (among(&column), exact.and_then(|exact| among(&exact))) {
        (Some(listed), Some(exact)) if !or_null => return vec![listed, exact],
        (Some(listed), Some(exact)) => Some(format!("({listed} AND {exact})")),
        (listed, _) => listed,
    };
    vec![match (listed, or_null) {
        (None, false) => NO_ROW.to_owned(),
        (Some(listed), false) => listed,
        (None, true) => format!("{column} IS NULL"),
        (Some(listed), true) => format!("({listed} OR {column} IS NULL)"),
    }]
}

/// Several conditions as one.
fn together(terms: &[String]) -> String {
    if let [one] = terms { one.clone() } else { format!("({})", terms.join(" AND ")) }
}

impl From<StateShape> for StateMapping {
    fn from(shape: StateShape) -> Self {
        Self { shape, marks: Vec::new() }
    }
}

impl StateMapping {
    /// What a stored value stands for in a row whose marks are not set; `None` for a value that is not listed.
    pub fn meaning(&self, stored: Option<&str>) -> Option<Meaning> {
        self.shape.meaning(stored)
    }

    /// What a row stands for as it was read: its stored value, and whether a mark is set.
    pub(crate) fn meaning_of(
        &self,
        stored: Option<&Value>,
        is_marked: bool,
        columns: &Columns,
    ) -> Option<Meaning> {
        match self.shape.meaning_of(stored, columns) {
            Some(Meaning::Status(_)) if is_marked => Some(Meaning::Status(Status::InProgress)),
            meaning => meaning,
        }
    }

    /// Whether a row can be in this state.
    pub(crate) fn has(&self, status: Status) -> bool {
        self.shape.has(status) || status == Status::InProgress && !self.marks.is_empty()
    }

    /// The column whose values are states, where there is one.
    pub(crate) fn column(&self) -> Option<&Ident> {
        match &self.shape {
            StateShape::Column { column, .. } => Some(column),
            StateShape::NullMeansInProgress(_) | StateShape::Always(_) => None,
        }
    }

    /// Every column that says something of the state.
    #[cfg(feature = "cli")]
    pub(crate) fn columns(&self) -> impl Iterator<Item = &Ident> {
        let nulls = match &self.shape {
            StateShape::NullMeansInProgress(columns) => columns.as_slice(),
            StateShape::Column { .. } | StateShape::Always(_) => &[],
        };
        self.column().into_iter().chain(nulls).chain(self.marks.iter().map(|mark| &mark.column))
    }

    /// What the row says of itself, as SQL, whatever its marks say.
    pub(crate) fn value(&self, columns: &Columns) -> String {
        match &self.shape {
            StateShape::Column { column, .. } => column.quoted(columns.dialect),
            StateShape::NullMeansInProgress(_) => format!(
                "CASE WHEN {} THEN 'in_progress' ELSE 'completed' END",
                together(&self.shape.terms(&[Status::InProgress], columns))
            ),
            StateShape::Always(status) => format!("CAST('{}' AS text)", status.as_str()),
        }
    }

    /// The condition that a mark is set.
    pub(crate) fn is_marked(&self, columns: &Columns) -> String {
        let marks: Vec<String> = self.marks.iter().map(|mark| mark.is_set(true, columns)).collect();
        match marks.as_slice() {
            [] => NO_ROW.to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(" OR ")),
        }
    }

    /// A condition that holds for rows in one of these states and for no row of unknown state.
    pub(crate) fn is(&self, statuses: &[Status], columns: &Columns) -> String {
        together(&self.terms(statuses, columns))
    }

    /// The same condition as what has to hold together.
    pub(crate) fn terms(&self, statuses: &[Status], columns: &Columns) -> Vec<String> {
        let says = |statuses: &[Status]| self.shape.terms(statuses, columns);
        let is_any = Status::ALL.iter().all(|status| statuses.contains(status));
        if self.marks.is_empty() || is_any {
            return says(statuses);
        }
        if !statuses.contains(&Status::InProgress) {
            let mut terms = says(statuses);
            if terms != [NO_ROW] {
                terms.extend(self.marks.iter().map(|mark| mark.is_set(false, columns)));
            }
            return terms;
        }
        let others: Vec<Status> =
            Status::ALL.into_iter().filter(|status| !statuses.contains(status)).collect();
        let (by_itself, marked) = (together(&says(statuses)), self.is_marked(columns));
        vec![match together(&says(&others)).as_str() {
            EVERY_ROW if by_itself == NO_ROW => marked,
            others => format!("({by_itself} OR ({others} AND {marked}))"),
        }]
    }

    /// The condition that the row stays on purpose; `None` where none does.
    pub(crate) fn is_kept(&self, columns: &Columns) -> Option<String> {
        let StateShape::Column { column, keep, null, .. } = &self.shape else { return None };
        let or_null = *null == Some(Meaning::Kept);
        let values: Vec<&Literal> = keep.iter().collect();
        (or_null || !values.is_empty()).then(|| together(&one_of(column, &values, or_null, columns)))
    }

    /// The condition that the state is none that is listed; `None` where it always is one.
    pub(crate) fn is_unknown(&self, columns: &Columns) -> Option<String> {
        let StateShape::Column { .. } = &self.shape else { return None };
        let known = self.is(&Status::ALL, columns);
        Some(match self.is_kept(columns) {
            Some(kept) => format!("(({known}) IS NOT TRUE AND ({kept}) IS NOT TRUE)"),
            None => format!("({known}) IS NOT TRUE"),
        })
    }
}

#[cfg(test)]
mod tests;

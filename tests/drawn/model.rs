//! A table with rows, and the truth about both.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;

use crate::support::Dialect;

/// What becomes of the work that a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Life {
    /// Somebody works on it at this moment, however old the row is.
    AtWork,
    /// Its worker is gone.
    Stuck,
    Done,
    Failed,
    /// Kept on purpose, whatever its expiry.
    Kept,
}

impl Life {
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::AtWork | Self::Stuck)
    }
}

/// What a stored value of a state's column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    InProgress,
    Completed,
    Failed,
    Keep,
}

impl Meaning {
    pub fn word(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Keep => "keep",
        }
    }
}

/// How a column says whether the work goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    Nothing,
    Values(Vec<(Cell, Meaning)>),
    NullUnfinished,
    SetUnfinished,
    /// It does, and no mapping can tell so.
    Unsayably,
}

/// What a column is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Surrogate,
    Key,
    Scope,
    State,
    Created,
    Claimed,
    Alive,
    Lease,
    Finished,
    Expires,
    Owner,
    Token,
    Attempt,
    Failure,
    RequestHash,
    ResponseStatus,
    ResponseHeaders,
    ResponseBody,
    Snapshot,
    Reference,
    Noise,
}

impl Role {
    /// Its name in an answer to `column.NAME`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Scope => "scope",
            Self::State => "state",
            Self::Created => "created",
            Self::Claimed => "claimed",
            Self::Alive => "alive",
            Self::Lease => "lease",
            Self::Finished => "finished",
            Self::Expires => "expires",
            Self::Owner => "owner",
            Self::Attempt => "attempt",
            Self::Failure => "failure",
            Self::RequestHash => "request_hash",
            Self::ResponseStatus => "response_status",
            Self::ResponseHeaders => "response_headers",
            Self::ResponseBody | Self::Snapshot => "response_body",
            Self::Reference => "response_ref",
            Self::Surrogate | Self::Token | Self::Noise => "irrelevant",
        }
    }

    pub fn is_clock(self) -> bool {
        matches!(
            self,
            Self::Created | Self::Claimed | Self::Alive | Self::Lease | Self::Finished | Self::Expires
        )
    }

    /// Whether the truth about the rows depends on it: such a column stays when a failure is made small.
    pub fn decides(self) -> bool {
        matches!(self, Self::Key | Self::Scope | Self::State) || self.is_clock() && self != Self::Finished
    }
}

/// How a clock is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Writing {
    Zoned,
    Naive(Tz),
    /// So many units in a second.
    Epoch(i64),
    /// In this pattern of chrono's, with the tool's name for it; in this zone where it names none.
    Spelled(&'static str, Option<&'static str>, Tz),
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Null,
    Text(String),
    Number(i64),
    Flag(bool),
    Bytes(Vec<u8>),
    /// Seconds after the moment at which the table is filled.
    At(i64),
}

#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub sql_type: String,
    pub not_null: bool,
    pub default: Option<String>,
    pub check: Option<String>,
    pub comment: Option<&'static str>,
    pub role: Role,
    pub says: Says,
    pub writing: Option<Writing>,
}

#[derive(Debug, Clone)]
pub struct Row {
    pub life: Life,
    /// Past its expiry for longer than any grace.
    pub expired: bool,
    /// It was there when `adopt` looked.
    pub seen: bool,
    /// In the order of the columns.
    pub cells: Vec<Cell>,
}

/// When a row is not needed any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// A column says so in each row.
    Column,
    /// As `Column`; NULL is for ever.
    NullIsNever,
    /// As `Column`; NULL is so long after the creation as everywhere.
    NullIsTtl,
    /// It is set when the work is done, and NULL until then.
    AtTheEnd,
    /// So long after the creation.
    Age,
    Never,
}

/// What the application does with a row whose work has failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Failing {
    Delete,
    Set(String, Cell),
    Unknown,
}

/// Where the state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateShape {
    /// In the values of one column.
    Values,
    AllNull,
    AnySet,
    /// A row that exists is done.
    Presence,
    /// No mapping can say it.
    Unsayable,
}

/// What nobody but the team knows.
#[derive(Debug, Clone)]
pub struct Truth {
    pub shape: StateShape,
    pub ttl: i64,
    pub expiry: Expiry,
    /// Unfinished rows are claimed again in place.
    pub reclaims: bool,
    pub failing: Failing,
}

/// Another table, whose foreign key points at this one.
#[derive(Debug, Clone)]
pub struct Child {
    /// The columns that it points at, and their types.
    pub columns: Vec<(String, String)>,
    /// `CASCADE` and such.
    pub on_delete: &'static str,
    /// The labels of the rows that it points at.
    pub rows: Vec<String>,
    /// Its rows may go with ours.
    pub may_go: bool,
}

#[derive(Debug, Clone)]
pub struct Table {
    pub name: String,
    pub dialect: Dialect,
    pub columns: Vec<Column>,
    pub primary: Vec<String>,
    pub uniques: Vec<Vec<String>>,
    pub indexes: Vec<String>,
    /// An enum type, and its labels.
    pub types: Vec<(String, Vec<String>)>,
    pub rows: Vec<Row>,
    pub truth: Truth,
    pub child: Option<Child>,
    /// What else is drawn about it.
    pub salt: u64,
}

pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

impl Column {
    pub fn tells(&self) -> bool {
        self.says != Says::Nothing
    }

    /// A value of it as SQL.
    pub fn sql(&self, cell: &Cell, now: DateTime<Utc>, dialect: Dialect) -> String {
        match cell {
            Cell::Null => "NULL".to_owned(),
            Cell::Text(value) => text(value),
            Cell::Number(number) => number.to_string(),
            Cell::Flag(flag) if matches!(dialect, Dialect::Postgres) => flag.to_string(),
            Cell::Flag(flag) => i64::from(*flag).to_string(),
            Cell::Bytes(bytes) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                if matches!(dialect, Dialect::Postgres) { format!("'\\x{hex}'") } else { format!("x'{hex}'") }
            }
            Cell::At(seconds) => {
                let fraction = TimeDelta::microseconds(seconds.rem_euclid(977) * 1_013 + 7);
                let at = now + TimeDelta::seconds(*seconds) - TimeDelta::seconds(1) + fraction;
                match self.writing.expect("a clock is written somehow") {
                    Writing::Zoned => text(&at.to_rfc3339()),
                    Writing::Naive(zone) => {
                        text(&at.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S%.6f").to_string())
                    }
                    Writing::Epoch(units) => (at.timestamp_micros() / (1_000_000 / units)).to_string(),
                    Writing::Spelled(pattern, _, zone) => {
                        text(&at.with_timezone(&zone).format(pattern).to_string())
                    }
                }
            }
        }
    }

    fn definition(&self) -> String {
        let mut sql = format!("{} {}", quoted(&self.name), self.sql_type);
        if self.not_null {
            sql.push_str(" NOT NULL");
        }
        if let Some(default) = &self.default {
            sql.push_str(&format!(" DEFAULT {default}"));
        }
        if let Some(check) = &self.check {
            sql.push_str(&format!(" CHECK ({check})"));
        }
        sql
    }
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |column| column.role == role)
    }

    pub fn has(&self, role: Role) -> bool {
        self.with_role(role).next().is_some()
    }

    /// Whether a mapping can say all that matters.
    pub fn is_sayable(&self) -> bool {
        let is_written = |column: &Column| !matches!(column.writing, Some(Writing::Spelled(_, None, _)));
        let matters = [Role::Created, Role::Claimed, Role::Alive, Role::Lease, Role::Expires];
        self.truth.shape != StateShape::Unsayable
            && self.columns.iter().filter(|column| matters.contains(&column.role)).all(is_written)
    }

    /// Whether some clock shows that an old row is freshly at work.
    pub fn shows_work(&self) -> bool {
        self.has(Role::Alive) || self.has(Role::Lease)
    }

    /// What a row says of its key and scope, column by column.
    pub fn identity(&self) -> Vec<&Column> {
        self.columns.iter().filter(|column| matches!(column.role, Role::Key | Role::Scope)).collect()
    }

    /// A value as the tool prints it where it names a row.
    pub fn shown(&self, row: &Row, column: &str) -> Option<String> {
        let index = self.columns.iter().position(|other| other.name == column)?;
        match &row.cells[index] {
            Cell::Text(value) => Some(value.clone()),
            Cell::Number(number) => Some(number.to_string()),
            // As each database writes them.
            Cell::Bytes(bytes) => {
                let sign = if matches!(self.dialect, Dialect::Postgres) { "\\x" } else { "" };
                let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
                Some(sign.chars().map(String::from).chain(digits).collect())
            }
            _ => None,
        }
    }

    /// Key and scope of a row as one text.
    pub fn label(&self, row: &Row) -> String {
        let parts = self.identity().into_iter().map(|column| self.shown(row, &column.name));
        parts.map(|part| part.unwrap_or_else(|| "-".into())).collect::<Vec<_>>().join("|")
    }

    /// All statements that make it, without rows.
    pub fn create(&self) -> String {
        let mut sql = String::new();
        for (name, labels) in &self.types {
            let labels: Vec<String> = labels.iter().map(|label| text(label)).collect();
            sql.push_str(&format!("CREATE TYPE {} AS ENUM ({});\n", quoted(name), labels.join(", ")));
        }
        let mut parts: Vec<String> = self.columns.iter().map(Column::definition).collect();
        if !self.primary.is_empty() {
            parts.push(format!("PRIMARY KEY ({})", list(&self.primary)));
        }
        parts.extend(self.uniques.iter().map(|columns| format!("UNIQUE ({})", list(columns))));
        sql.push_str(&format!("CREATE TABLE {} (\n    {}\n);\n", quoted(&self.name), parts.join(",\n    ")));
        for column in &self.indexes {
            sql.push_str(&format!("CREATE INDEX ON_INDEX ON {} ({});\n", quoted(&self.name), quoted(column)));
        }
        let mut sql = match self.dialect {
            Dialect::Postgres => sql.replace("ON_INDEX ", ""),
            _ => sql.replace("ON_INDEX", &quoted(&format!("ix_{}", self.name))),
        };
        if let Some(child) = &self.child {
            let columns = child.columns.iter().map(|(name, sql_type)| format!("{} {sql_type}", quoted(name)));
            let names: Vec<String> = child.columns.iter().map(|(name, _)| name.clone()).collect();
            sql.push_str(&format!(
                "CREATE TABLE {} ({}, FOREIGN KEY ({names}) REFERENCES {} ({names}) ON DELETE {});\n",
                quoted(&self.child_name()),
                columns.collect::<Vec<_>>().join(", "),
                quoted(&self.name),
                child.on_delete,
                names = list(&names),
            ));
        }
        if matches!(self.dialect, Dialect::Postgres) {
            for column in &self.columns {
                if let Some(comment) = column.comment {
                    sql.push_str(&format!(
                        "COMMENT ON COLUMN {}.{} IS {};\n",
                        quoted(&self.name),
                        quoted(&column.name),
                        text(comment)
                    ));
                }
            }
        }
        sql
    }

    /// All statements that take it away again.
    pub fn drop(&self) -> String {
        let mut sql = match self.child {
            Some(_) => format!("DROP TABLE {};", quoted(&self.child_name())),
            None => String::new(),
        };
        sql.push_str(&format!("DROP TABLE {};", quoted(&self.name)));
        for (name, _) in &self.types {
            sql.push_str(&format!("DROP TYPE {};", quoted(name)));
        }
        sql
    }

    /// Inserts the rows that are chosen; empty where none is.
    pub fn insert(&self, now: DateTime<Utc>, chosen: impl Fn(&Row) -> bool) -> String {
        let rows: Vec<String> = self
            .rows
            .iter()
            .filter(|row| chosen(row))
            .map(|row| {
                let cells = self.columns.iter().zip(&row.cells);
                let values: Vec<String> =
                    cells.map(|(column, cell)| column.sql(cell, now, self.dialect)).collect();
                format!("({})", values.join(", "))
            })
            .collect();
        if rows.is_empty() {
            return String::new();
        }
        let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let mut sql = format!(
            "INSERT INTO {} ({}) VALUES\n    {};\n",
            quoted(&self.name),
            list(&names),
            rows.join(",\n    ")
        );
        if let Some(child) = &self.child {
            let chosen = self.rows.iter().filter(|row| chosen(row)).map(|row| self.label(row));
            let labels: Vec<String> =
                chosen.filter(|label| child.rows.contains(label)).map(|label| text(&label)).collect();
            if !labels.is_empty() {
                let names: Vec<String> = child.columns.iter().map(|(name, _)| name.clone()).collect();
                sql.push_str(&format!(
                    "INSERT INTO {} SELECT {} FROM {} WHERE {} IN ({});\n",
                    quoted(&self.child_name()),
                    list(&names),
                    quoted(&self.name),
                    self.label_sql(),
                    labels.join(", ")
                ));
            }
        }
        sql
    }

    fn child_name(&self) -> String {
        format!("of_{}", self.name)
    }

    /// All statements that empty it.
    pub fn empty(&self) -> String {
        let child = self.child.as_ref().map(|_| format!("DELETE FROM {};", quoted(&self.child_name())));
        format!("{}DELETE FROM {}", child.unwrap_or_default(), quoted(&self.name))
    }

    /// Whether a row of another table points at this one.
    pub fn is_pointed_at(&self, row: &Row) -> bool {
        self.child.as_ref().is_some_and(|child| child.rows.contains(&self.label(row)))
    }

    /// A row's label as SQL.
    fn label_sql(&self) -> String {
        let identity: Vec<String> = self
            .identity()
            .into_iter()
            .map(|column| {
                let name = quoted(&column.name);
                let is_bytes = column.sql_type == "bytea" || column.sql_type == "BLOB";
                let text = match (self.dialect, is_bytes) {
                    (Dialect::Postgres, true) => format!("'\\x' || encode({name}, 'hex')"),
                    (Dialect::Postgres, false) => format!("CAST({name} AS text)"),
                    (_, true) => format!("lower(hex({name}))"),
                    _ => format!("CAST({name} AS text)"),
                };
                format!("COALESCE({text}, '-')")
            })
            .collect();
        identity.join(" || '|' || ")
    }

    /// A query for the name and the whole content of each row.
    pub fn contents(&self) -> String {
        let all: Vec<String> = self
            .columns
            .iter()
            .map(|column| match self.dialect {
                Dialect::Postgres => format!("COALESCE(CAST({} AS text), '-')", quoted(&column.name)),
                _ => format!("quote({})", quoted(&column.name)),
            })
            .collect();
        format!(
            "SELECT {} || '§' || {} FROM {}",
            self.label_sql(),
            all.join(" || ',' || "),
            quoted(&self.name)
        )
    }

    /// The table without a column.
    pub fn without(&self, name: &str) -> Self {
        let mut table = self.clone();
        let index = table.columns.iter().position(|column| column.name == name).expect("a column of it");
        table.columns.remove(index);
        for row in &mut table.rows {
            row.cells.remove(index);
        }
        table.child = table.child.filter(|child| !child.columns.iter().any(|(column, _)| column == name));
        table.primary.retain(|column| column != name);
        table.uniques.iter_mut().for_each(|columns| columns.retain(|column| column != name));
        table.uniques.retain(|columns| !columns.is_empty());
        table.indexes.retain(|column| column != name);
        if let Failing::Set(column, _) = &table.truth.failing
            && column == name
        {
            table.truth.failing = Failing::Unknown;
        }
        table
    }
}

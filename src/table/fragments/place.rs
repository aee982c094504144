//! How one row is found again: its name, its locator, lists of them.

use super::Fragments;
use crate::table::{Ident, Locator};

impl Fragments<'_> {
    /// One column that holds what was read from it, byte for byte.
    pub(super) fn is_same(&self, column: &Ident, bind: &str) -> String {
        let same = format!("{} = {}", self.quote(column), self.bind(column, bind));
        match self.columns.exact(column) {
            Some(exact) => format!("{same} AND {exact} = {bind}"),
            None => same,
        }
    }

    pub(super) fn key_match(&self) -> String {
        let keys: Vec<String> = self
            .mapping
            .key
            .iter()
            .enumerate()
            .map(|(index, column)| self.equals(column, &format!("${}", index + 1)))
            .collect();
        self.guarded(keys.join(" AND "))
    }

    /// The condition on the n-th column of a row's name.
    pub(super) fn name_condition(&self, index: usize, column: &Ident) -> String {
        if self.variation.null_names.contains(&index) {
            return format!("{} IS NULL", self.quote(column));
        }
        self.is_same(column, &format!("${}", index + 1))
    }

    /// One row by its full name: the key's columns are the first binds, the scope's follow, then the
    /// locator's where the key does not name a single row.
    pub(super) fn row_match(&self) -> String {
        let named = self.mapping.key.len() + self.mapping.scope.len();
        let columns = self.mapping.key.iter().chain(&self.mapping.scope).enumerate();
        let conditions: Vec<String> =
            columns.map(|(index, column)| self.name_condition(index, column)).collect();
        let mut conditions = vec![self.guarded(conditions.join(" AND "))];
        if !self.columns.key_is_unique {
            let bind = |index: usize| format!("${}", named + index + 1);
            match &self.columns.locator {
                Locator::Ctid { children } => {
                    conditions.push(format!("ctid = CAST({} AS tid)", bind(0)));
                    if *children {
                        conditions.push(format!("tableoid = CAST({} AS oid)", bind(1)));
                    }
                }
                Locator::Rowid(name) => conditions.push(format!("{name} = CAST({} AS integer)", bind(0))),
                Locator::Columns(columns) => conditions
                    .extend(columns.iter().enumerate().map(|(at, column)| self.is_same(column, &bind(at)))),
            }
        }
        conditions.join(" AND ")
    }

    pub(super) fn locator_texts(&self) -> Vec<String> {
        match &self.columns.locator {
            Locator::Ctid { children: false } => vec!["CAST(ctid AS text)".to_owned()],
            Locator::Ctid { children: true } => {
                vec!["CAST(ctid AS text)".to_owned(), "CAST(CAST(tableoid AS oid) AS text)".to_owned()]
            }
            Locator::Rowid(name) => vec![format!("CAST({name} AS text)")],
            Locator::Columns(columns) => columns.iter().map(|column| self.name(column)).collect(),
        }
    }

    /// What names a row where many are chosen by a subselect and then deleted.
    pub(super) fn locator_columns(&self) -> Vec<String> {
        match &self.columns.locator {
            Locator::Ctid { children: false } => vec!["ctid".to_owned()],
            // The same place is in each child.
            Locator::Ctid { children: true } => vec!["tableoid".to_owned(), "ctid".to_owned()],
            Locator::Rowid(name) => vec![(*name).to_owned()],
            Locator::Columns(columns) => columns.iter().map(|column| self.quote(column)).collect(),
        }
    }

    pub(super) fn locator(&self) -> String {
        match self.locator_columns().as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        }
    }

    /// PostgreSQL's condition that a row is among those of a query, and its end. The query runs once: a subselect
    /// in IN () may run again, with other rows. An array of places leads to them; rows of several columns would be
    /// compared with each member of one.
    pub(super) fn among(&self) -> (String, &'static str) {
        match self.locator_columns().as_slice() {
            [one] => (format!("{one} = ANY (ARRAY("), "))"),
            _ => {
                let within = format!("{} IN (WITH chosen AS MATERIALIZED (", self.locator());
                (within, ") SELECT * FROM chosen)")
            }
        }
    }

    /// The columns of key and scope as they are read.
    pub(super) fn name_texts(&self) -> String {
        let columns = self.mapping.key.iter().chain(&self.mapping.scope);
        columns.map(|ident| self.name(ident)).collect::<Vec<_>>().join(", ")
    }

    /// Whether a row is one of those that the binds from `first` on list: an array for each part of the
    /// locator on PostgreSQL, one JSON array on SQLite.
    pub(super) fn listed(&self, first: usize) -> String {
        let bind = |index: usize| format!("${}", first + index);
        let columns = match &self.columns.locator {
            Locator::Ctid { children } => {
                let places = format!("ctid = ANY (CAST({} AS tid[]))", bind(0));
                return match children {
                    false => places,
                    true => format!(
                        "{places} AND (tableoid, ctid) IN (SELECT u.t, u.c \
                         FROM unnest(CAST({} AS tid[]), CAST({} AS oid[])) AS u (c, t))",
                        bind(0),
                        bind(1)
                    ),
                };
            }
            Locator::Rowid(name) => return format!("{name} IN (SELECT value FROM json_each({}))", bind(0)),
            Locator::Columns(columns) => columns,
        };
        let names: Vec<String> = columns.iter().map(|column| self.quote(column)).collect();
        self.grammar().listed(&names, first, &|at, text| {
            columns.get(at).map_or_else(|| text.to_owned(), |column| self.bind(column, text))
        })
    }

    /// SQLite's row number, or NULL in a table that has none.
    pub(super) fn rowid(&self) -> String {
        match &self.columns.locator {
            Locator::Rowid(name) => (*name).to_owned(),
            _ => "NULL".to_owned(),
        }
    }

    /// The order that SQLite keeps the table in, for a walk along it: its columns, and the binds of a piece's ends.
    pub(super) fn place(&self) -> [(&'static str, String); 8] {
        let columns = self.columns.place.as_slice();
        let list = if columns.is_empty() { "NULL".to_owned() } else { columns.join(", ") };
        let back: Vec<String> = columns.iter().map(|column| format!("{column} DESC")).collect();
        let count = columns.len().max(1);
        // One value, or a row of them.
        let row = |text: String| if count > 1 { format!("({text})") } else { text };
        let binds = |first: usize| {
            let binds: Vec<String> = (first..first + count).map(|bind| format!("${bind}")).collect();
            row(binds.join(", "))
        };
        [
            ("place", row(list.clone())),
            ("place_order", list.clone()),
            ("place_list", list),
            ("place_back", if back.is_empty() { "NULL".to_owned() } else { back.join(", ") }),
            ("place_step", binds(2)),
            ("place_from", binds(3)),
            ("place_to", binds(3 + count)),
            ("place_limit", format!("${}", 3 + 2 * count)),
        ]
    }

    /// The scope as one text, for grouping.
    pub(super) fn scope_text(&self) -> String {
        let part = |column: &Ident| format!("COALESCE({}, '\\N')", self.text(column));
        match self.mapping.scope.as_slice() {
            [] => "CAST('' AS text)".to_owned(),
            [one] if !self.columns.is_nullable(one) => self.quote_or_text(one),
            several => several.iter().map(part).collect::<Vec<_>>().join(" || ',' || "),
        }
    }

    pub(super) fn quote_or_text(&self, ident: &Ident) -> String {
        match self.columns.family(ident) {
            None => self.quote(ident),
            Some(_) => self.text(ident),
        }
    }

    pub(super) fn scope_order(&self) -> String {
        let columns = match self.mapping.scope.as_slice() {
            [] => &self.mapping.key,
            _ => &self.mapping.scope,
        };
        columns.iter().map(|ident| self.quote(ident)).collect::<Vec<_>>().join(", ")
    }
}

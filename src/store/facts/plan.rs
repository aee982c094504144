//! How the database would run the purge's own statements.

use serde_json::Value as Json;

use super::IndexFacts;
use crate::protocol::{Status, Timestamp};
use crate::store::{Dialect, ErrorKind, Statement, Store, StoreError, Value};
use crate::table::{Meaning, StateShape, Walk};

/// What serves one table of a purge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Served {
    /// An index in the order of the expiry.
    Index(String),
    /// An index that is read from its beginning to its end.
    WholeIndex(String),
    /// The whole table is read.
    WholeTable,
}

/// How one way of the purge would be walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgePlan {
    /// The clock's column.
    pub column: String,
    /// The clock's column, as SQL has it.
    pub column_sql: String,
    /// What serves it, once for each table that holds rows.
    pub served: Vec<(String, Served)>,
}

impl Store {
    /// How the database would run the purge's statements, under the very settings that they run with;
    /// nothing is run.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_plans(
        &self,
        indexes: &[IndexFacts],
        cutoff: Timestamp,
    ) -> Result<Vec<PurgePlan>, StoreError> {
        let mut plans = Vec::new();
        for store in self.walks()? {
            let Some(walk) = store.walk.clone() else { continue };
            let (first, until) = (store.expiry_bound(store.first_expiry()), store.expiry_bound(cutoff));
            let mut served = store.step_is_served(indexes, cutoff).await?;
            let range = [first, until];
            // Where nothing may be deleted (a right, or the table's state) nobody may ask how it would be done
            // either; the step tells enough.
            let found = match store.explain(&store.sql.purge_range, &range, &walk, indexes).await {
                Err(error) if error.kind() == ErrorKind::Right || error.is_state_of_table() => Vec::new(),
                other => other?,
            };
            found.into_iter().for_each(|found| note(&mut served, found));
            plans.push(PurgePlan {
                column: walk.clock.column.as_str().to_owned(),
                column_sql: store.column_sql(&walk.clock.column),
                served,
            });
        }
        Ok(plans)
    }

    /// What would serve the purge's first step along this store's way, once for each table that holds rows.
    pub(crate) async fn step_is_served(
        &self,
        indexes: &[IndexFacts],
        cutoff: Timestamp,
    ) -> Result<Vec<(String, Served)>, StoreError> {
        let Some(walk) = &self.walk else { return Ok(Vec::new()) };
        let binds = self.order_binds(cutoff);
        let mut served = Vec::new();
        for found in self.explain(&self.sql.purge_order, &binds, walk, indexes).await? {
            note(&mut served, found);
        }
        Ok(served)
    }

    async fn explain(
        &self,
        statement: &Statement,
        binds: &[Value],
        walk: &Walk,
        indexes: &[IndexFacts],
    ) -> Result<Vec<(String, Served)>, StoreError> {
        let mut found = Vec::new();
        for text in self.plan(statement, binds).await? {
            match self.dialect() {
                Dialect::Postgres => self.read_plan(&parse(&text)?, walk, indexes, "", &mut found),
                Dialect::Sqlite => found.extend(self.read_line(&text, walk)),
            }
        }
        Ok(found)
    }

    /// Whether an index has the due rows in the order of their expiry, so that a step reads a batch and no more. The
    /// plan says so, not the index: whoever orders by an index does not sort.
    pub(crate) async fn expiry_has_an_order(&self, cutoff: Timestamp) -> Result<bool, StoreError> {
        let binds = self.order_binds(cutoff);
        // A lock on the whole table stops even this, as it does the step itself.
        let plan = self.with_retries(false, || self.plan(&self.sql.purge_order, &binds)).await?;
        let mut ordered = true;
        for text in plan {
            ordered &= match self.dialect() {
                Dialect::Postgres => is_ordered(&parse(&text)?),
                Dialect::Sqlite => text.starts_with("SEARCH "),
            };
        }
        Ok(ordered)
    }

    fn order_binds(&self, cutoff: Timestamp) -> [Value; 3] {
        [self.expiry_bound(self.first_expiry()), self.expiry_bound(cutoff), 999_i64.into()]
    }

    /// The plan of a statement, as the dialect writes it: one document, or line by line.
    async fn plan(&self, statement: &Statement, binds: &[Value]) -> Result<Vec<String>, StoreError> {
        let (words, before) = match self.dialect() {
            Dialect::Postgres => ("EXPLAIN (FORMAT JSON)", 0),
            Dialect::Sqlite => ("EXPLAIN QUERY PLAN", 3),
        };
        let explain = statement.explained(words);
        let mut transaction = self.backend.begin(self.step_purpose()).await?;
        let rows = transaction.fetch(&explain, binds).await?;
        transaction.rollback().await?;
        rows.into_iter()
            .map(|mut row| {
                for _ in 0..before {
                    row.int()?;
                }
                Ok(row.some_text()?)
            })
            .collect()
    }

    /// Whether the statement holds a column at one value or a few: the guard's, what another way's rows lack,
    /// the states that are purged.
    fn fixed_names<'s>(&'s self, walk: &'s Walk) -> Vec<&'s str> {
        let by_state = match &self.mapping.state.shape {
            StateShape::Column {
                column,
                null: None | Some(Meaning::Kept | Meaning::Status(Status::InProgress)),
                ..
            } => Some(column),
            _ => None,
        };
        let guard = self.mapping.guard.iter().map(|(column, _)| column);
        by_state.into_iter().chain(guard).chain(&walk.where_null).map(|column| column.as_str()).collect()
    }

    /// Whether an index leads to the rows of a range of this clock: its first column is the clock, but for
    /// columns that the statement holds fixed.
    fn leads(&self, index: &IndexFacts, walk: &Walk) -> bool {
        let fixed = self.fixed_names(walk);
        let mut columns = index.columns.iter().map(Option::as_deref);
        columns.find(|name| !name.is_some_and(|name| fixed.contains(&name))).flatten()
            == Some(walk.clock.column.as_str())
    }

    fn read_plan(
        &self,
        node: &Json,
        walk: &Walk,
        indexes: &[IndexFacts],
        above: &str,
        found: &mut Vec<(String, Served)>,
    ) {
        if let Json::Array(nodes) = node {
            nodes.iter().for_each(|node| self.read_plan(node, walk, indexes, above, found));
        }
        let Json::Object(members) = node else { return };
        let text = |name: &str| members.get(name).and_then(Json::as_str);
        let relation = text("Relation Name").unwrap_or(above);
        match (text("Node Type"), text("Index Name")) {
            (Some("Seq Scan" | "Sample Scan" | "Tid Range Scan"), _) => {
                found.push((relation.to_owned(), Served::WholeTable));
            }
            (Some(_), Some(name)) => {
                let known = indexes.iter().find(|index| index.name == name);
                let led =
                    members.contains_key("Index Cond") && known.is_some_and(|index| self.leads(index, walk));
                let name = name.to_owned();
                found.push((
                    relation.to_owned(),
                    if led { Served::Index(name) } else { Served::WholeIndex(name) },
                ));
            }
            _ => {}
        }
        for inner in ["Plan", "Plans"] {
            if let Some(inner) = members.get(inner) {
                self.read_plan(inner, walk, indexes, relation, found);
            }
        }
    }

    /// A line of SQLite's plan: `SEARCH t USING INDEX i (c>? AND c<?)`, `SCAN t`.
    fn read_line(&self, line: &str, walk: &Walk) -> Option<(String, Served)> {
        let table = self.mapping.name.name.as_str();
        if let Some(rest) = line.strip_prefix("SEARCH ").and_then(|rest| rest.strip_prefix(table)) {
            let column = walk.clock.column.as_str();
            let how = rest.split_once(" INDEX ");
            // What precedes the clock is fixed, or the rows come in another order than the clock's. The line
            // for one moment says "=?".
            let ends =
                [format!("{column}>? AND {column}<?)"), format!("{column}=?)"), format!("{column}>?)")];
            // A name may hold whatever separates the parts of the line: each is taken off by its own name.
            let led = ends.iter().filter_map(|end| rest.strip_suffix(end.as_str())).any(|before| {
                let mut before = before;
                while let Some(earlier) = before.strip_suffix(" AND ") {
                    let fixed = self.fixed_names(walk).into_iter();
                    let shorter =
                        fixed.filter_map(|name| earlier.strip_suffix("=?")?.strip_suffix(name)).next();
                    let Some(shorter) = shorter else { return false };
                    before = shorter;
                }
                before.ends_with(" (")
            });
            let name = match how {
                Some((_, name)) => name.split_once(" (").map_or(name, |(name, _)| name).to_owned(),
                None => "PRIMARY KEY".to_owned(),
            };
            return Some((
                table.to_owned(),
                if led { Served::Index(name) } else { Served::WholeIndex(name) },
            ));
        }
        let rest = line.strip_prefix("SCAN ")?.strip_prefix(table)?;
        Some((
            table.to_owned(),
            match rest.split_once(" INDEX ") {
                Some((_, name)) => Served::WholeIndex(name.to_owned()),
                None => Served::WholeTable,
            },
        ))
    }
}

fn parse(plan: &str) -> Result<Json, StoreError> {
    serde_json::from_str(plan).map_err(|error| StoreError::corrupt(format!("a plan can't be read: {error}")))
}

/// Whether each table of a plan is read along an index, and nothing is sorted.
fn is_ordered(node: &Json) -> bool {
    match node {
        Json::Array(nodes) => nodes.iter().all(is_ordered),
        Json::Object(members) => {
            let kind = members.get("Node Type").and_then(Json::as_str).unwrap_or_default();
            let along_an_index = match members.contains_key("Relation Name") {
                true => matches!(kind, "Index Scan" | "Index Only Scan"),
                false => !kind.ends_with("Sort"),
            };
            along_an_index && ["Plan", "Plans"].iter().filter_map(|inner| members.get(*inner)).all(is_ordered)
        }
        _ => true,
    }
}

/// Keeps the best that serves a table: where one of the statements can use an index, so can the others.
fn note(served: &mut Vec<(String, Served)>, (table, how): (String, Served)) {
    match served.iter_mut().find(|(known, _)| *known == table) {
        Some((_, best)) => *best = how.min(best.clone()),
        None => served.push((table, how)),
    }
}

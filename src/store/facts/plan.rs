//! How the database would run the purge's own statements.

use serde_json::Value as Json;

use super::IndexFacts;
use crate::protocol::Timestamp;
use crate::store::{Dialect, Sql, Store, StoreError};
use crate::table::{Ident, Walk};

/// What serves one table of a purge.
#[derive(Debug, Clone, PartialEq, Eq)]
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
            let mut served = Vec::new();
            let step = [first.clone(), until.clone(), 999_i64.into(), 1_001_i64.into()];
            let range = [first, until];
            for (statement, binds) in [(&store.sql.purge_step, &step[..]), (&store.sql.purge_range, &range)] {
                for found in store.explain(statement, binds, &walk, indexes).await? {
                    if !served.contains(&found) {
                        served.push(found);
                    }
                }
            }
            plans.push(PurgePlan {
                column: walk.clock.column.as_str().to_owned(),
                column_sql: store.column_sql(&walk.clock.column),
                served,
            });
        }
        Ok(plans)
    }

    async fn explain(
        &self,
        statement: &Sql,
        binds: &[crate::store::Value],
        walk: &Walk,
        indexes: &[IndexFacts],
    ) -> Result<Vec<(String, Served)>, StoreError> {
        let words = match self.dialect() {
            Dialect::Postgres => "EXPLAIN (FORMAT JSON)",
            Dialect::Sqlite => "EXPLAIN QUERY PLAN",
        };
        let explain = Sql::new(format!("{words} {}", statement.as_str()));
        let mut transaction = self.backend.begin(self.step_purpose()).await?;
        let rows = transaction.fetch(&explain, binds).await?;
        transaction.rollback().await?;
        let mut found = Vec::new();
        for mut row in rows {
            match self.dialect() {
                Dialect::Postgres => {
                    let plan: Json = serde_json::from_str(&row.text()?.unwrap_or_default())
                        .map_err(|error| StoreError::corrupt(format!("a plan can't be read: {error}")))?;
                    self.read_plan(&plan, walk, indexes, "", &mut found);
                }
                Dialect::Sqlite => {
                    for _ in 0..3 {
                        row.int()?;
                    }
                    found.extend(self.read_line(&row.text()?.unwrap_or_default(), walk));
                }
            }
        }
        Ok(found)
    }

    /// Whether an index leads to the rows of a range of this clock: its first column is the clock, but for
    /// columns that the guard holds fixed.
    fn leads(&self, index: &IndexFacts, clock: &Ident) -> bool {
        let fixed = |name: &str| self.mapping.guard.iter().any(|(column, _)| column.as_str() == name);
        index.columns.iter().flatten().find(|name| !fixed(name)).is_some_and(|name| name == clock.as_str())
            && index.columns.first().is_some_and(Option::is_some)
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
                let led = members.contains_key("Index Cond")
                    && known.is_some_and(|index| self.leads(index, &walk.clock.column));
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
            let (how, condition) = rest.rsplit_once(" (")?;
            let name = how.rsplit_once(" INDEX ").map_or("PRIMARY KEY", |(_, name)| name);
            // The line for the rows that share one moment says "=?".
            let led = [format!("{column}>? AND {column}<?)"), format!("{column}=?)")]
                .iter()
                .any(|end| condition.ends_with(end.as_str()))
                || condition == format!("{column}>?)");
            let name = name.to_owned();
            return Some((
                table.to_owned(),
                if led { Served::Index(name) } else { Served::WholeIndex(name) },
            ));
        }
        let rest = line.strip_prefix("SCAN ")?.strip_prefix(table)?;
        Some((
            table.to_owned(),
            match rest.rsplit_once(" INDEX ") {
                Some((_, name)) => Served::WholeIndex(name.to_owned()),
                None => Served::WholeTable,
            },
        ))
    }
}

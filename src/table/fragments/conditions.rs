//! What makes a row due, stuck, protected or unrecognized.

use super::Fragments;
use crate::protocol::Status;
use crate::sql::Value;
use crate::table::Clock;

impl Fragments<'_> {
    pub(super) fn guards(&self) -> impl Iterator<Item = String> {
        let guard = self.mapping.guard.iter();
        guard.map(|(column, value)| format!("{} = {}", self.quote(column), value.sql(self.dialect())))
    }

    /// What the purge may delete once it is due: settled, its clock written as declared, none of
    /// another way's rows, none that the guard excludes.
    pub(super) fn purgeable(&self) -> String {
        let condition = self.due_in(&[Status::Completed, Status::Failed]);
        match self.lease_is_over() {
            Some(over) => format!("{condition} AND {over}"),
            None => condition,
        }
    }

    /// What would be purged but for its lease, which runs or can't be read.
    pub(super) fn held(&self) -> String {
        match self.lease_is_over() {
            Some(over) => {
                format!("{} AND ({over}) IS NOT TRUE", self.due_in(&[Status::Completed, Status::Failed]))
            }
            None => "(1 = 0)".to_owned(),
        }
    }

    /// The condition on the rows of this way in one of these states, but for the moment.
    pub(super) fn due_in(&self, statuses: &[Status]) -> String {
        // Of what is due nearly all is settled. Without that word, SQLite takes an index on the state for the shorter
        // way, and reads all settled rows for each batch.
        let says_likely = self.dialect().takes_likelihoods() && !statuses.contains(&Status::InProgress);
        let likely = |condition: String| if says_likely { format!("likely({condition})") } else { condition };
        let terms = self.mapping.state.terms(statuses, self.columns);
        let terms: Vec<String> = terms.into_iter().chain(self.guards()).map(likely).collect();
        let mut condition = terms.join(" AND ");
        if let Some(walk) = self.walk {
            if let Some(spelled) = self.spelled(&walk.clock) {
                condition.push_str(&format!(" AND {spelled}"));
            }
            if let Some(null) = &walk.where_null {
                let is_null = likely(format!("{} IS NULL", self.quote(null)));
                condition.push_str(&format!(" AND {is_null}"));
            }
        }
        condition
    }

    /// The condition that no clock says when a row is due: this way's holds NULL, and so does the one that it
    /// takes over from.
    pub(super) fn undated(&self) -> String {
        let Some(walk) = self.walk else { return "(1 = 0)".to_owned() };
        let columns = std::iter::once(&walk.clock.column).chain(&walk.where_null);
        let conditions: Vec<String> =
            columns.map(|column| format!("{} IS NULL", self.quote(column))).collect();
        format!("({})", conditions.join(" AND "))
    }

    /// As a further condition: the row is one of this way's.
    pub(super) fn of_way(&self) -> String {
        let null = self.walk.and_then(|walk| walk.where_null.as_ref());
        null.map_or_else(String::new, |null| format!(" AND {} IS NULL", self.quote(null)))
    }

    /// The condition that no lease protects a settled row of an adopted table; ours end with the claim.
    pub(super) fn lease_is_over(&self) -> Option<String> {
        let lease = self.mapping.lease_of_settled().filter(|_| !self.mapping.is_owned())?;
        let bound = lease.bound(self.variation.leases_at?);
        let bound = match bound {
            Value::Text(Some(text)) => self.grammar().literal(&text),
            Value::Int(Some(number)) => number.to_string(),
            Value::Time(Some(at)) => format!("CAST('{at}' AS timestamptz)"),
            Value::Naive(Some(at)) => {
                format!("CAST('{}' AS timestamp)", at.to_string().trim_end_matches('Z'))
            }
            _ => return None,
        };
        let column = self.quote(&lease.column);
        let spelled = self.spelled(lease).map_or_else(String::new, |spelled| format!(" AND {spelled}"));
        Some(format!("({column} IS NULL OR ({column} <= {bound}{spelled}))"))
    }

    /// The condition that the expiry is not written as declared, whichever way it then compares.
    pub(super) fn misspelt(&self) -> String {
        let clock = self.walk.map(|walk| &walk.clock);
        match clock.and_then(|clock| Some((clock, self.spelled(clock)?))) {
            Some((clock, spelled)) => format!(
                "({} IS NOT NULL AND ({spelled}) IS NOT TRUE{})",
                self.quote(&clock.column),
                self.of_way()
            ),
            None => "(1 = 0)".to_owned(),
        }
    }

    /// The condition that a row's state is none of the three, or its expiry is not written as declared.
    pub(super) fn strange(&self) -> String {
        let unknown = self.mapping.state.is_unknown(self.columns);
        let spelled = self.walk.and_then(|walk| self.spelled(&walk.clock));
        let unspelled = spelled.map(|spelled| format!("({spelled}) IS NOT TRUE"));
        let conditions: Vec<String> = unknown.into_iter().chain(unspelled).collect();
        if conditions.is_empty() { "(1 = 0)".to_owned() } else { format!("({})", conditions.join(" OR ")) }
    }

    /// The clocks that say since when a row has no heartbeat, each once.
    pub(super) fn silent_clocks(&self) -> impl Iterator<Item = &Clock> {
        let renewed = self.mapping.renewed();
        renewed.into_iter().chain(self.mapping.renewed_else())
    }

    /// As a further condition: the clocks that say since when a row has no heartbeat, and its lease, are written as
    /// declared, or NULL.
    pub(super) fn written(&self) -> String {
        self.silent_clocks()
            .chain(&self.mapping.clocks.lease)
            .filter_map(|clock| {
                let spelled = self.spelled(clock)?;
                Some(format!(" AND ({} IS NULL OR ({spelled}))", self.quote(&clock.column)))
            })
            .collect()
    }

    /// The condition that the clock that decides since when a row has no heartbeat, or its lease, is not written as
    /// declared.
    pub(super) fn unwritten(&self) -> String {
        let mut before: Vec<String> = Vec::new();
        let mut ways = Vec::new();
        for clock in self.silent_clocks() {
            let column = self.quote(&clock.column);
            if let Some(spelled) = self.spelled(clock) {
                let mut way = before.clone();
                way.push(format!("{column} IS NOT NULL AND NOT ({spelled})"));
                ways.push(format!("({})", way.join(" AND ")));
            }
            before.push(format!("{column} IS NULL"));
        }
        if let Some((lease, spelled)) =
            self.mapping.clocks.lease.as_ref().and_then(|lease| Some((lease, self.spelled(lease)?)))
        {
            ways.push(format!("({} IS NOT NULL AND ({spelled}) IS NOT TRUE)", self.quote(&lease.column)));
        }
        if ways.is_empty() { "(1 = 0)".to_owned() } else { format!("({})", ways.join(" OR ")) }
    }

    /// The condition that a row has had no heartbeat since $5, as its last heartbeat has it, or since $1, as its claim
    /// has it where it has none; neither at or before what a living application sets ($8 and $7).
    pub(super) fn silent(&self) -> String {
        let column = |clock: Option<&Clock>| clock.map(|clock| self.quote(&clock.column));
        let claimed = self.mapping.claimed();
        let own = column(self.mapping.renewed().filter(|renewed| Some(*renewed) != claimed));
        let (claimed_sql, silent) = match column(claimed) {
            Some(sql) => (sql.clone(), format!("{sql} <= $1 AND {sql} > $7")),
            None => return "(1 = 0)".to_owned(),
        };
        let Some(renewed) = own else { return silent };
        // The claim comes before its heartbeats: that is what an index serves.
        let both = format!("{silent} AND ({renewed} IS NULL OR ({renewed} <= $5 AND {renewed} > $8))");
        match claimed {
            Some(claimed) if self.columns.is_nullable(&claimed.column) => {
                format!("(({both}) OR ({claimed_sql} IS NULL AND {renewed} <= $5 AND {renewed} > $8))")
            }
            _ => both,
        }
    }
}

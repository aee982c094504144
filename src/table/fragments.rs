//! The fragments that statements take from a mapping. Names are quoted by [`Ident`] alone; values come
//! from the mapping as literals and from everywhere else by binds.

use std::sync::Arc;

use super::{Clock, Columns, Encoding, Family, Ident, Literal, Locator, Mapping, Walk, WriteRule};
use crate::protocol::{Status, Timestamp};
use crate::sql::{Dialect, Grammar, Value};

/// Writes a mapping's fragments in one dialect, for one real table.
pub(crate) struct Fragments<'a> {
    pub(crate) mapping: &'a Mapping,
    pub(crate) columns: &'a Columns,
    /// The way along which the purge goes; `None` where nothing ever becomes due.
    pub(crate) walk: Option<&'a Walk>,
    pub(crate) variation: Variation,
}

/// What a statement says beyond what the mapping tells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Variation {
    /// The columns of the row's name, by their place, that hold NULL in the row that is asked for. `IS NOT
    /// DISTINCT FROM` would do for values and NULL, and scan the whole table.
    pub(crate) null_names: Vec<usize>,
    /// Further conditions, each followed by AND.
    pub(crate) narrowed: String,
    /// The conditions that spare rows which other tables point at, each preceded by AND.
    pub(crate) unreferenced: Arc<str>,
    /// Conditions, order and limit of a query that has none of its own.
    pub(crate) selected: String,
    /// A count is not counted, but planned.
    pub(crate) planned: bool,
    /// The moment at which a lease of a settled row counts as over or not.
    pub(crate) leases_at: Option<Timestamp>,
}

/// The columns that the row of an operation is compared by, besides its name and its marks: everything that
/// can change. The order in which [`crate::store::KeyRow`] keeps them.
const SEEN: usize = 10;

impl<'a> Fragments<'a> {
    pub(crate) fn new(mapping: &'a Mapping, columns: &'a Columns, walk: Option<&'a Walk>) -> Self {
        Self { mapping, columns, walk, variation: Variation::default() }
    }

    fn dialect(&self) -> Dialect {
        self.columns.dialect
    }

    fn grammar(&self) -> &'static dyn Grammar {
        self.dialect().grammar()
    }

    pub(crate) fn quote(&self, ident: &Ident) -> String {
        ident.quoted(self.dialect())
    }

    /// All of them, as `(token, SQL)`.
    pub(crate) fn tokens(&self) -> Vec<(&'static str, String)> {
        let mapping = self.mapping;
        let clock = |clock: Option<&Clock>| match clock {
            Some(clock) => self.quote(&clock.column),
            None => self.null_clock(),
        };
        let named = mapping.name_columns(self.columns);
        let mut tokens = vec![
            ("table", mapping.name.quoted(self.dialect())),
            ("record", self.record()),
            ("key_match", self.key_match()),
            ("row_match", self.row_match()),
            ("narrowed", self.variation.narrowed.clone()),
            ("selected", self.variation.selected.clone()),
            ("unreferenced", self.variation.unreferenced.to_string()),
            ("counted", if self.variation.planned { "1" } else { "count(*)" }.to_owned()),
            ("row_order", self.names().collect::<Vec<_>>().join(", ")),
            ("scope_order", self.scope_order()),
            ("in_progress", self.guarded(mapping.state.is(&[Status::InProgress], self.columns))),
            ("finished", self.purgeable()),
            ("failed", self.guarded(mapping.state.is(&[Status::Failed], self.columns))),
            ("guard", self.guarded("(1 = 1)".to_owned())),
            ("undated", self.undated()),
            ("strange", self.strange()),
            ("misspelt", self.misspelt()),
            ("at_work", self.due_in(&[Status::InProgress])),
            ("held", self.held()),
            ("kept", mapping.state.is_kept(self.columns).unwrap_or_else(|| "(1 = 0)".to_owned())),
            ("unless_kept", self.unless_kept()),
            ("unknown", mapping.state.is_unknown(self.columns).unwrap_or_else(|| "(1 = 0)".to_owned())),
            ("written", self.written()),
            ("unwritten", self.unwritten()),
            ("silent", self.silent()),
            ("ageless", self.ageless().unwrap_or_else(|| "(1 = 0)".to_owned())),
            ("scope", self.scope_text()),
            ("expires", clock(self.walk.map(|walk| &walk.clock))),
            ("expires_read", self.clock(self.walk.map(|walk| &walk.clock))),
            ("claimed", clock(mapping.claimed())),
            ("claimed_read", self.clock(mapping.claimed())),
            ("renewed_read", self.clock(mapping.renewed())),
            ("renewed", clock(mapping.renewed())),
            ("lease", clock(mapping.clocks.lease.as_ref())),
            ("unleased", self.unleased(&format!("${}", named + 1))),
            ("unleased_now", self.unleased("$6")),
            ("answer", self.answer()),
            ("locator", self.locator()),
            // A row value, but without its brackets where it is selected.
            ("locator_list", self.locator_columns().join(", ")),
            ("among", self.among().0),
            ("among_end", self.among().1.to_owned()),
            ("names", self.name_texts()),
            ("locators", self.locator_texts().join(", ")),
            ("listed", self.listed(3)),
            ("rowid", self.rowid()),
            ("as_seen", self.as_seen(named + 4)),
        ];
        tokens.extend(self.place());
        // Binds that follow the columns of the row's name, however many those are.
        for (index, token) in ["moment", "policy", "reason"].into_iter().enumerate() {
            tokens.push((token, format!("${}", named + index + 1)));
        }
        tokens
    }

    /// The first bind after those of the row's name, the moment, the policy, the reason and what was seen.
    pub(crate) fn first_free_bind(&self) -> usize {
        self.mapping.name_columns(self.columns) + 3 + SEEN + self.mapping.state.marks.len() + 1
    }

    /// A column that a mapping may lack: a typed NULL in its place.
    fn shown(&self, ident: Option<&Ident>, sql_type: &str) -> String {
        match ident {
            Some(ident) => self.quote(ident),
            None => format!("CAST(NULL AS {sql_type})"),
        }
    }

    /// A column read as text, whatever its type.
    pub(crate) fn text(&self, ident: &Ident) -> String {
        let column = self.quote(ident);
        self.grammar().text(&column, self.columns.family(ident))
    }

    /// A column that names a row or its state, as it is read to be compared later.
    fn name(&self, ident: &Ident) -> String {
        self.grammar().name(&self.quote(ident), self.columns.family(ident))
    }

    fn shown_text(&self, ident: Option<&Ident>) -> String {
        ident.map_or_else(|| "CAST(NULL AS text)".to_owned(), |ident| self.text(ident))
    }

    fn null_clock(&self) -> String {
        format!("CAST(NULL AS {})", self.grammar().moment_type())
    }

    /// A clock as it is read: the stored value in a type that we know, whole units rounded up.
    pub(crate) fn clock(&self, clock: Option<&Clock>) -> String {
        let Some(clock) = clock else { return self.null_clock() };
        let column = self.quote(&clock.column);
        match (clock.encoding, self.columns.family(&clock.column)) {
            (_, None) | (Encoding::Timestamptz | Encoding::Naive(_), _) => column,
            (Encoding::Epoch(_), Some(family)) => self.grammar().epoch(&column, family),
            (Encoding::Text(_), Some(_)) => self.grammar().clock_text(&column),
        }
    }

    /// The columns that name a row, as they are compared and ordered.
    fn names(&self) -> impl Iterator<Item = String> {
        let mapping = self.mapping;
        mapping.key.iter().chain(&mapping.scope).map(|ident| self.quote(ident))
    }

    /// The columns of a row in the order that [`crate::store::KeyRow`] reads them: names first,
    /// then state, then the rest.
    fn record(&self) -> String {
        let Mapping { key, scope, shown, .. } = self.mapping;
        let mut columns: Vec<String> = key.iter().chain(scope).map(|ident| self.name(ident)).collect();
        if !self.columns.key_is_unique {
            columns.extend(self.locator_texts());
        }
        let names = columns.len();
        columns.push(self.state_value());
        if !self.mapping.state.marks.is_empty() {
            columns
                .push(format!("CASE WHEN {} THEN 1 ELSE 0 END", self.mapping.state.is_marked(self.columns)));
            columns.extend(self.mapping.state.marks.iter().map(|mark| self.name(&mark.column)));
        }
        columns.extend([
            self.shown_text(shown.request_hash.as_ref()),
            self.response_status(),
            self.shown_text(shown.response_headers.as_ref()),
            self.response_bytes(),
            self.shown(shown.token.as_ref(), self.grammar().token_type()),
            self.shown(shown.attempt.as_ref(), "integer"),
            self.shown_text(shown.owner.as_ref()),
            self.shown(shown.retry_allowed.as_ref(), "boolean"),
            self.shown_text(shown.failure.as_ref()),
        ]);
        if !self.mapping.is_owned() {
            columns.push(self.shown_text(shown.response_ref.as_ref()));
        }
        columns.extend(self.mapping.read_clocks().map(|role| self.clock(role)));
        // A column may be a clock or a name as well, and the order by that is of the column, not of what is shown.
        if !self.mapping.is_owned() {
            for (number, shown) in columns.iter_mut().skip(names).enumerate() {
                shown.push_str(&format!(" AS shown_{number}"));
            }
        }
        columns.join(", ")
    }

    /// The state as it is written, as text.
    fn state_value(&self) -> String {
        match self.mapping.state.column() {
            Some(column) => self.name(column),
            None => self.mapping.state.value(self.columns),
        }
    }

    /// The answer's status: its column, or the member of the document that holds it.
    pub(crate) fn response_status(&self) -> String {
        let shown = &self.mapping.shown;
        if let Some(ident) = &shown.response_status {
            return match self.columns.family(ident) {
                // Our own, or a number whatever its size.
                None | Some(Family::Integer) => self.quote(ident),
                Some(_) => self.text(ident),
            };
        }
        let member = shown.snapshot.as_ref().and_then(|snapshot| {
            let path = snapshot.status.as_ref()?;
            Some((&snapshot.column, path))
        });
        match member {
            Some((column, path)) => self.json_member(column, path),
            None => "CAST(NULL AS integer)".to_owned(),
        }
    }

    /// A member of a JSON document as text, where the database itself can look into it.
    fn json_member(&self, column: &Ident, path: &str) -> String {
        let member = self.grammar().json_member(&self.quote(column), self.columns.family(column), path);
        member.unwrap_or_else(|| "CAST(NULL AS text)".to_owned())
    }

    fn response_bytes(&self) -> String {
        let shown = &self.mapping.shown;
        if let Some(ident) = &shown.response_bytes {
            return self.shown(Some(ident), "bigint");
        }
        let body = shown.response_body.as_ref().and_then(|body| Some((body, self.columns.family(body)?)));
        let bytes = body.and_then(|(body, family)| self.grammar().body_bytes(&self.quote(body), family));
        bytes.unwrap_or_else(|| "CAST(NULL AS bigint)".to_owned())
    }

    fn answer(&self) -> String {
        let shown = &self.mapping.shown;
        let column = match &shown.snapshot {
            Some(snapshot) => Some(&snapshot.column),
            None => shown.response_body.as_ref(),
        };
        let body = match column {
            Some(ident) => self.grammar().body(&self.quote(ident), self.columns.family(ident)),
            None => format!("CAST(NULL AS {})", self.grammar().body_type()),
        };
        [
            self.response_status(),
            self.shown_text(shown.response_headers.as_ref()),
            body,
            self.shown(shown.response_bytes.as_ref(), "bigint"),
        ]
        .join(", ")
    }

    /// A bind that came as text, in the type of the column it is compared with.
    pub(crate) fn bind(&self, column: &Ident, bind: &str) -> String {
        self.grammar().bind(bind, self.columns.get(column))
    }

    /// One column of a key or scope that holds what a person wrote.
    pub(crate) fn equals(&self, column: &Ident, bind: &str) -> String {
        self.grammar().equals(&self.quote(column), bind, self.columns.get(column))
    }

    /// One column that holds what was read from it, byte for byte.
    fn is_same(&self, column: &Ident, bind: &str) -> String {
        let same = format!("{} = {}", self.quote(column), self.bind(column, bind));
        match self.columns.exact(column) {
            Some(exact) => format!("{same} AND {exact} = {bind}"),
            None => same,
        }
    }

    fn key_match(&self) -> String {
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
    fn name_condition(&self, index: usize, column: &Ident) -> String {
        if self.variation.null_names.contains(&index) {
            return format!("{} IS NULL", self.quote(column));
        }
        self.is_same(column, &format!("${}", index + 1))
    }

    /// One row by its full name: the key's columns are the first binds, the scope's follow, then the
    /// locator's where the key does not name a single row.
    fn row_match(&self) -> String {
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

    fn locator_texts(&self) -> Vec<String> {
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
    fn locator_columns(&self) -> Vec<String> {
        match &self.columns.locator {
            Locator::Ctid { children: false } => vec!["ctid".to_owned()],
            // The same place is in each child.
            Locator::Ctid { children: true } => vec!["tableoid".to_owned(), "ctid".to_owned()],
            Locator::Rowid(name) => vec![(*name).to_owned()],
            Locator::Columns(columns) => columns.iter().map(|column| self.quote(column)).collect(),
        }
    }

    fn locator(&self) -> String {
        match self.locator_columns().as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        }
    }

    /// PostgreSQL's condition that a row is among those of a query, and its end. The query runs once: a subselect
    /// in IN () may run again, with other rows. An array of places leads to them; rows of several columns would be
    /// compared with each member of one.
    fn among(&self) -> (String, &'static str) {
        match self.locator_columns().as_slice() {
            [one] => (format!("{one} = ANY (ARRAY("), "))"),
            _ => {
                let within = format!("{} IN (WITH chosen AS MATERIALIZED (", self.locator());
                (within, ") SELECT * FROM chosen)")
            }
        }
    }

    /// The columns of key and scope as they are read.
    fn name_texts(&self) -> String {
        let columns = self.mapping.key.iter().chain(&self.mapping.scope);
        columns.map(|ident| self.name(ident)).collect::<Vec<_>>().join(", ")
    }

    /// Whether a row is one of those that the binds from `first` on list: an array for each part of the
    /// locator on PostgreSQL, one JSON array on SQLite.
    fn listed(&self, first: usize) -> String {
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

    /// The locator's columns for an order, each with the column whose type its text is to be taken in.
    pub(crate) fn locator_order(&self) -> Vec<(String, Option<&Ident>)> {
        match &self.columns.locator {
            // As text, since that is what a page's end is known by; any order does that stays the same.
            Locator::Ctid { .. } | Locator::Rowid(_) => {
                self.locator_texts().into_iter().map(|text| (text, None)).collect()
            }
            Locator::Columns(columns) => {
                columns.iter().map(|column| (self.quote(column), Some(column))).collect()
            }
        }
    }

    /// SQLite's row number, or NULL in a table that has none.
    fn rowid(&self) -> String {
        match &self.columns.locator {
            Locator::Rowid(name) => (*name).to_owned(),
            _ => "NULL".to_owned(),
        }
    }

    /// The order that SQLite keeps the table in, for a walk along it: its columns, and the binds of a piece's ends.
    fn place(&self) -> [(&'static str, String); 8] {
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
    fn scope_text(&self) -> String {
        let part = |column: &Ident| format!("COALESCE({}, '\\N')", self.text(column));
        match self.mapping.scope.as_slice() {
            [] => "CAST('' AS text)".to_owned(),
            [one] if !self.columns.is_nullable(one) => self.quote_or_text(one),
            several => several.iter().map(part).collect::<Vec<_>>().join(" || ',' || "),
        }
    }

    fn quote_or_text(&self, ident: &Ident) -> String {
        match self.columns.family(ident) {
            None => self.quote(ident),
            Some(_) => self.text(ident),
        }
    }

    fn scope_order(&self) -> String {
        let columns = match self.mapping.scope.as_slice() {
            [] => &self.mapping.key,
            _ => &self.mapping.scope,
        };
        columns.iter().map(|ident| self.quote(ident)).collect::<Vec<_>>().join(", ")
    }

    /// A condition, and the guard's beside it.
    pub(crate) fn guarded(&self, condition: String) -> String {
        let guard: String = self.guards().map(|guard| format!(" AND {guard}")).collect();
        format!("{condition}{guard}")
    }

    fn guards(&self) -> impl Iterator<Item = String> {
        let guard = self.mapping.guard.iter();
        guard.map(|(column, value)| format!("{} = {}", self.quote(column), value.sql(self.dialect())))
    }

    /// What the purge may delete once it is due: settled, its clock written as declared, none of
    /// another way's rows, none that the guard excludes.
    fn purgeable(&self) -> String {
        let condition = self.due_in(&[Status::Completed, Status::Failed]);
        match self.lease_is_over() {
            Some(over) => format!("{condition} AND {over}"),
            None => condition,
        }
    }

    /// What would be purged but for its lease, which runs or can't be read.
    fn held(&self) -> String {
        match self.lease_is_over() {
            Some(over) => {
                format!("{} AND ({over}) IS NOT TRUE", self.due_in(&[Status::Completed, Status::Failed]))
            }
            None => "(1 = 0)".to_owned(),
        }
    }

    /// The condition on the rows of this way in one of these states, but for the moment.
    fn due_in(&self, statuses: &[Status]) -> String {
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
    fn undated(&self) -> String {
        let Some(walk) = self.walk else { return "(1 = 0)".to_owned() };
        let columns = std::iter::once(&walk.clock.column).chain(&walk.where_null);
        let conditions: Vec<String> =
            columns.map(|column| format!("{} IS NULL", self.quote(column))).collect();
        format!("({})", conditions.join(" AND "))
    }

    /// As a further condition: the row does not stay on purpose.
    pub(crate) fn unless_kept(&self) -> String {
        let kept = self.mapping.state.is_kept(self.columns);
        kept.map_or_else(String::new, |kept| format!(" AND ({kept}) IS NOT TRUE"))
    }

    /// As a further condition: the row is one of this way's.
    fn of_way(&self) -> String {
        let null = self.walk.and_then(|walk| walk.where_null.as_ref());
        null.map_or_else(String::new, |null| format!(" AND {} IS NULL", self.quote(null)))
    }

    /// The condition that no lease protects a settled row of an adopted table; ours end with the claim.
    fn lease_is_over(&self) -> Option<String> {
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
    fn misspelt(&self) -> String {
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
    fn strange(&self) -> String {
        let unknown = self.mapping.state.is_unknown(self.columns);
        let spelled = self.walk.and_then(|walk| self.spelled(&walk.clock));
        let unspelled = spelled.map(|spelled| format!("({spelled}) IS NOT TRUE"));
        let conditions: Vec<String> = unknown.into_iter().chain(unspelled).collect();
        if conditions.is_empty() { "(1 = 0)".to_owned() } else { format!("({})", conditions.join(" OR ")) }
    }

    /// The clocks that say since when a row has no heartbeat, each once.
    fn silent_clocks(&self) -> impl Iterator<Item = &Clock> {
        let renewed = self.mapping.renewed();
        renewed.into_iter().chain(self.mapping.renewed_else())
    }

    /// The condition that no lease runs at the moment of this bind. One that is not written as declared may.
    pub(crate) fn unleased(&self, bind: &str) -> String {
        let lease = self.mapping.clocks.lease.as_ref();
        // Without one, a NULL gives the bind its type.
        let column = lease.map_or_else(|| self.null_clock(), |lease| self.quote(&lease.column));
        match lease.and_then(|lease| self.spelled(lease)) {
            None => format!("({column} IS NULL OR {column} <= {bind})"),
            Some(spelled) => format!("({column} IS NULL OR ({column} <= {bind} AND {spelled}))"),
        }
    }

    /// As a further condition: the clocks that say since when a row has no heartbeat, and its lease, are written as
    /// declared, or NULL.
    fn written(&self) -> String {
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
    fn unwritten(&self) -> String {
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

    /// The condition that nothing says since when a row has no heartbeat: NULL in every clock that could. `None` where one
    /// of them never holds NULL.
    pub(crate) fn ageless(&self) -> Option<String> {
        let mut columns = self.silent_clocks().map(|clock| &clock.column).peekable();
        columns.peek()?;
        let is_null = |column| {
            let can_be = !self.mapping.is_owned() && self.columns.is_nullable(column);
            can_be.then(|| format!("{} IS NULL", self.quote(column)))
        };
        let conditions: Option<Vec<String>> = columns.map(is_null).collect();
        Some(format!("({})", conditions?.join(" AND ")))
    }

    /// The condition that a row has had no heartbeat since $5, as its last heartbeat has it, or since $1, as its claim
    /// has it where it has none; neither at or before what a living application sets ($8 and $7).
    fn silent(&self) -> String {
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

    /// The condition that a clock is written as declared, where its type does not say so.
    pub(crate) fn spelled(&self, clock: &Clock) -> Option<String> {
        // Of our own table we know that.
        let known = self.columns.get(&clock.column)?;
        let column = match (clock.encoding, self.dialect()) {
            // Of a padded type the padding is no part of the text.
            (Encoding::Text(_), Dialect::Postgres) if known.family != Family::Text => {
                self.text(&clock.column)
            }
            _ => self.quote(&clock.column),
        };
        clock.encoding.condition(&column, self.dialect())
    }

    /// The row is exactly the one that was shown: every column that can change is compared, since the
    /// key may have been reaped and claimed again in between.
    fn as_seen(&self, first_bind: usize) -> String {
        let shown = &self.mapping.shown;
        let mut seen = vec![
            self.state_value(),
            self.shown(shown.token.as_ref(), self.grammar().token_type()),
            self.shown(shown.attempt.as_ref(), "integer"),
            self.shown(shown.retry_allowed.as_ref(), "boolean"),
        ];
        seen.extend(self.mapping.read_clocks().map(|role| self.clock(role)));
        debug_assert_eq!(seen.len(), SEEN);
        let state = self.mapping.state.column().and_then(|column| self.columns.exact(column));
        if let Some(exact) = state {
            seen[0] = exact;
        }
        // A lock that another worker took meanwhile is another claim.
        seen.extend(
            self.mapping
                .state
                .marks
                .iter()
                .map(|mark| self.columns.exact(&mark.column).unwrap_or_else(|| self.name(&mark.column))),
        );
        seen.iter()
            .enumerate()
            .map(|(index, column)| format!("{column} IS NOT DISTINCT FROM ${}", first_bind + index))
            .collect::<Vec<_>>()
            .join("\n  AND ")
    }

    /// The expiry that a rule has to count afresh when the key is to stay closed, unless the rule
    /// itself sets it, or the database computes it.
    pub(crate) fn restamped(&self, rule: Option<&WriteRule>) -> Option<&'a Clock> {
        let Some(WriteRule::Set { values, null, now }) = rule else { return None };
        let mut set = values.iter().map(|(column, _)| column).chain(null).chain(now);
        let expires = self.mapping.clocks.expires.as_ref()?;
        let is_written = set.any(|column| *column == expires.column);
        (!is_written && !self.columns.is_generated(&expires.column)).then_some(expires)
    }

    /// What precedes the conditions of a statement that takes a claim away or allows a retry. A rule
    /// that is missing reads instead; the commands refuse before that.
    pub(crate) fn write(&self, rule: Option<&WriteRule>, protocol: &str, restamp: bool) -> String {
        let table = self.mapping.name.quoted(self.dialect());
        match rule {
            None => format!("SELECT 1 FROM {table}"),
            Some(WriteRule::Delete) => format!("DELETE FROM {table}"),
            Some(WriteRule::Protocol) => format!("UPDATE {table}\nSET {protocol}"),
            Some(WriteRule::Set { values, null, now }) => {
                let mut bind = self.first_free_bind();
                let mut set: Vec<String> = values
                    .iter()
                    .map(|(column, value)| format!("{} = {}", self.quote(column), value.sql(self.dialect())))
                    .collect();
                set.extend(null.iter().map(|column| format!("{} = NULL", self.quote(column))));
                for column in now {
                    set.push(format!("{} = ${bind}", self.quote(column)));
                    bind += 1;
                }
                if let (true, Some(expires)) = (restamp, self.restamped(rule)) {
                    let column = self.quote(&expires.column);
                    let policy = self.mapping.name_columns(self.columns) + 2;
                    set.push(format!("{column} = CASE WHEN ${policy} THEN {column} ELSE ${bind} END"));
                }
                format!("UPDATE {table}\nSET {}", set.join(",\n    "))
            }
        }
    }
}

impl Mapping {
    /// The clocks in the order in which a row is read.
    pub(crate) fn read_clocks(&self) -> impl Iterator<Item = Option<&Clock>> {
        let clocks = &self.clocks;
        [&clocks.created, &clocks.claimed, &clocks.renewed, &clocks.lease, &clocks.finished, &clocks.expires]
            .map(Option::as_ref)
            .into_iter()
    }

    /// The condition that the row is in one of these states, as SQL.
    pub(crate) fn state_is(&self, statuses: &[Status], columns: &Columns) -> String {
        self.state.is(statuses, columns)
    }
}

/// A guard's or a rule's literal for messages.
impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Int(number) => number.fmt(f),
            Self::Bool(flag) => flag.fmt(f),
        }
    }
}

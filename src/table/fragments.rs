//! The fragments that statements take from a mapping. Names are quoted by [`Ident`] alone; values come
//! from the mapping as literals and from everywhere else by binds.

mod conditions;
mod place;
mod record;

use std::sync::Arc;

use super::{Clock, Columns, Encoding, Family, Ident, Literal, Locator, Mapping, Walk, WriteRule};
use crate::protocol::{Status, Timestamp};
use crate::sql::{Dialect, Grammar};

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

    /// A column read as text, whatever its type.
    pub(crate) fn text(&self, ident: &Ident) -> String {
        let column = self.quote(ident);
        self.grammar().text(&column, self.columns.family(ident))
    }

    /// A column that names a row or its state, as it is read to be compared later.
    fn name(&self, ident: &Ident) -> String {
        self.grammar().name(&self.quote(ident), self.columns.family(ident))
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

    /// A bind that came as text, in the type of the column it is compared with.
    pub(crate) fn bind(&self, column: &Ident, bind: &str) -> String {
        self.grammar().bind(bind, self.columns.get(column))
    }

    /// One column of a key or scope that holds what a person wrote.
    pub(crate) fn equals(&self, column: &Ident, bind: &str) -> String {
        self.grammar().equals(&self.quote(column), bind, self.columns.get(column))
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

    /// A condition, and the guard's beside it.
    pub(crate) fn guarded(&self, condition: String) -> String {
        let guard: String = self.guards().map(|guard| format!(" AND {guard}")).collect();
        format!("{condition}{guard}")
    }

    /// As a further condition: the row does not stay on purpose.
    pub(crate) fn unless_kept(&self) -> String {
        let kept = self.mapping.state.is_kept(self.columns);
        kept.map_or_else(String::new, |kept| format!(" AND ({kept}) IS NOT TRUE"))
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

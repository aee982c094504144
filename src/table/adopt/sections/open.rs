//! What nobody has explained yet, and what it holds back.

use super::Draft;
use crate::table::adopt::clocks::ClockProposal;
use crate::table::adopt::explain::{Explanation, Suspect};
use crate::table::adopt::facts::CatalogueColumn;
use crate::table::adopt::look;
use crate::table::adopt::roles::Role;
use crate::table::adopt::state::{self, Shape};
use crate::table::adopt::words::AnswerPart;
use crate::table::adopt::{values, words};
use crate::table::{Family, Literal};

impl<'c> Draft<'c> {
    /// The clocks that may be a lease or a heartbeat, as far as that matters.
    pub(super) fn unexplained_clocks(&self) -> Vec<String> {
        let at_work = self.state.is_known() && self.state.can_be_in_progress();
        let has_heartbeat = ["alive", "lease"].into_iter().any(|role| self.clocks.of(role).is_some());
        let in_doubt =
            |name: &str| self.clocks.clocks.iter().any(|clock| clock.in_doubt && clock.column == name);
        let state = self.state.columns();
        let matters = |finding: &&Explanation| {
            let Some(column) = self.column(&finding.column) else { return false };
            if state.contains(&finding.column) {
                return false;
            }
            // What looked like an expiry was asked about alone.
            let is_expiry = self.context.moments.of(&finding.column) == Some(words::Moment::Expires);
            if self.context.answers.clocks && self.is_shown_clock(&finding.column) && !is_expiry {
                return false;
            }
            if !finding.roles.is_empty() {
                return false;
            }
            let moment = self.context.moments.of(&finding.column);
            let is_clock = self.context.may_be_clock(column);
            let is_claim = moment == Some(words::Moment::Locked);
            match finding.suspect {
                _ if !is_clock => false,
                Some(Suspect::Clock) => !(is_claim && has_heartbeat && self.state.is_known()),
                Some(_) => at_work && !(is_claim && has_heartbeat),
                None => at_work && !has_heartbeat && in_doubt(&finding.column),
            }
        };
        self.findings.iter().filter(matters).map(|finding| finding.column.clone()).collect()
    }

    /// References that may be to what the request made; only asked where no answer is kept.
    pub(super) fn unclear_references(&self) -> Vec<String> {
        let answers = state::answers(self.context, self.findings);
        let keeps_answers = answers.iter().any(|(part, _)| *part != AnswerPart::Headers);
        if !self.state.is_known()
            || keeps_answers
            || self.context.answers.response_ref.is_some()
            || self.context.preset.is_some()
            || self.sure_reference().is_some()
        {
            return Vec::new();
        }
        self.references().into_iter().map(|column| column.name.clone()).collect()
    }

    /// Whether something that nobody has explained may be a lease or a heartbeat, or may say "unfinished".
    pub(super) fn is_open(&self) -> bool {
        !self.state.is_known()
            || !self.asked_by("others").is_empty()
            // What is named like an expiry, and may be the end of a claim.
            || self.clocks.doubt.is_some()
            || self.unexplained_clocks().iter().any(|column| self.asked.contains_key(column))
    }

    /// Whether nobody has said of a column that could say "unfinished" that it does not.
    pub(super) fn holds_purge(&self) -> bool {
        let is_open = |finding: &Explanation| {
            finding.suspect.is_some()
                && self.asked.get(&finding.column).is_some_and(|id| id != "response_ref")
        };
        // Beside a value that nobody knows, one that is named like the end need not be it.
        let is_value_open = matches!(&self.state.shape, Shape::Column(values) if values.ask);
        // Where the state is not known, no row is done.
        self.state.is_known()
            && (is_value_open
                || self.state.ask_null && self.may_be_marked()
                || self.findings.iter().any(is_open))
    }

    /// Whether something of the work can be NULL beside what tells the state: it may be set while somebody is at
    /// work on the row, and tell it better.
    pub(super) fn may_be_marked(&self) -> bool {
        let state = self.state.columns();
        let is_mark = |finding: &Explanation| {
            let of_work =
                |role: &Role| matches!(role, Role::Lease | Role::Alive | Role::Claimed | Role::Owner);
            !state.contains(&finding.column)
                && finding.roles.iter().any(of_work)
                && self.column(&finding.column).is_some_and(CatalogueColumn::may_stay_null)
        };
        self.findings.iter().any(is_mark)
    }

    /// Whether the clocks that say that somebody is at work are in force, and read as they are written: else a
    /// lease that runs may look over, and a silence longer than it is.
    pub(super) fn is_read_rightly(&self) -> bool {
        let of_work =
            |clock: &&ClockProposal| !clock.in_doubt && !matches!(clock.role, "expires" | "finished");
        self.clocks.clocks.iter().filter(of_work).all(|clock| clock.active && !clock.unsure)
    }

    /// Columns that mark a row as in progress while they are set, and may be until when, or since when.
    pub(super) fn open_marks(&self) -> Vec<String> {
        let is_open = |name: &&String| {
            let Some(column) = self.column(name) else { return false };
            let says_all = self
                .context
                .answers
                .roles(name)
                .is_some_and(|roles| roles.iter().any(|role| !role.is_state()));
            let has_clock = self
                .findings
                .iter()
                .any(|finding| finding.column == **name && finding.roles.iter().any(|role| role.is_clock()));
            let is_clock = column.is_time()
                || look::looks_like_time(column, self.context.samples)
                || words::is_timed(name)
                || (column.family == Family::Integer && self.context.may_be_clock(column))
                || (column.family == Family::Text
                    && self.context.may_be_clock(column)
                    && !words::is_owner(name)
                    && !words::is_claim_token(name));
            is_clock && !says_all && !has_clock
        };
        self.state.marks.iter().map(|(name, _)| name).filter(is_open).cloned().collect()
    }

    /// Columns that mark a row by one of their values, and nobody has said by which.
    pub(super) fn unclear_marks(&self) -> Vec<&'c CatalogueColumn> {
        let is_unclear = |(name, unset): &(String, Vec<Literal>)| {
            let column = self.column(name)?;
            let by_value =
                values::closed(column, self.context.table).is_some() || column.not_null && unset.is_empty();
            let is_said = self.context.answers.values.contains_key(name);
            (column.family != Family::Boolean && by_value && !is_said).then_some(column)
        };
        self.state.marks.iter().filter_map(is_unclear).collect()
    }

    /// Whether a row in progress is surely that, and its silence surely one.
    pub(super) fn can_reap(&self) -> bool {
        !self.is_open()
            && self.open_marks().is_empty()
            && self.unclear_marks().is_empty()
            && self.is_read_rightly()
            && !self.state.ask_null
    }

    /// Whether a lease that protects a row is not in force.
    pub(super) fn lacks_lease(&self) -> bool {
        self.clocks.of("lease").is_some_and(|lease| !lease.active || lease.unsure)
    }

    /// Whether rows can be in progress by the mapping in force.
    pub(super) fn may_be_at_work(&self) -> bool {
        self.state.is_known() && self.state.can_be_in_progress()
    }
}

//! One pass over all columns: what each is, why, and whether it could say that the work on a row is unfinished.
//! What no rule explains could.

use super::clocks::Moments;
use super::facts::{CatalogueColumn, CatalogueTable};
use super::key::KeyProposal;
use super::look::{self, Samples};
use super::presets::{self, Preset};
use super::questions::Answers;
use super::roles::{Role, can_be_clock};
use super::values;
use super::words::{self, AnswerPart, Moment};
use crate::table::Family;

/// Why a column could say "unfinished".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Suspect {
    /// By one of a few values.
    Values,
    /// By being NULL, or by not being NULL.
    Null,
    /// By a moment that is still to come, or fresh.
    Clock,
    /// Only because there is such a thing: who holds a row, or a heartbeat, is kept of work that goes on.
    Kind,
}

/// What is known of a column before the state is.
#[derive(Debug, Clone)]
pub(crate) struct Explanation {
    pub(crate) column: String,
    /// What it says, as far as that is sure.
    pub(crate) roles: Vec<Role>,
    pub(crate) reason: String,
    pub(crate) suspect: Option<Suspect>,
}

/// Which clock plays which role, before anybody was asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chosen {
    pub(crate) created: Option<String>,
    pub(crate) expires: Option<String>,
    pub(crate) alive: Option<String>,
    pub(crate) lease: Option<String>,
    /// Why it is not sure that a row may go after its expiry.
    pub(crate) doubt: Option<String>,
}

/// All that the rules look at.
pub(crate) struct Context<'t> {
    pub(crate) table: &'t CatalogueTable,
    pub(crate) key: &'t KeyProposal,
    pub(crate) moments: &'t Moments,
    pub(crate) samples: &'t Samples,
    pub(crate) answers: &'t Answers,
    pub(crate) preset: Option<&'static Preset>,
    pub(crate) chosen: Chosen,
}

/// Whether a row is written with a value of its own: nothing stands there for "not yet".
fn is_said_at_once(column: &CatalogueColumn) -> bool {
    column.not_null && column.default.is_none()
}

impl<'t> Context<'t> {
    pub(crate) fn new(
        table: &'t CatalogueTable,
        key: &'t KeyProposal,
        moments: &'t Moments,
        samples: &'t Samples,
        answers: &'t Answers,
    ) -> Self {
        let preset = presets::of(table);
        let mut context = Self { table, key, moments, samples, answers, preset, chosen: Chosen::default() };
        context.chosen = context.choose();
        context
    }

    fn is_name(&self, column: &CatalogueColumn) -> bool {
        self.key.key.contains(&column.name) || self.key.scope.contains(&column.name)
    }

    /// The columns of a kind of moment that nothing else is known of, the best first.
    fn timed(&self, moment: Moment) -> Vec<&'t CatalogueColumn> {
        let free = |column: &&CatalogueColumn| {
            !self.is_name(column) && self.is_unsaid(&column.name) && self.of_preset(column).is_none()
        };
        self.moments.columns(self.table, moment).into_iter().filter(free).collect()
    }

    fn of_preset(&self, column: &CatalogueColumn) -> Option<&'static presets::Part> {
        self.preset.and_then(|preset| preset.part(&column.name))
    }

    /// Whether nothing was said of a column that keeps it from being a clock by its name.
    fn is_unsaid(&self, column: &str) -> bool {
        self.answers.roles(column).is_none_or(|roles| roles.iter().all(|role| role.is_state()))
    }

    /// Whether points in time are written in a column, or may be for all that is known of it.
    pub(crate) fn may_be_clock(&self, column: &CatalogueColumn) -> bool {
        self.moments.of(&column.name).is_some()
            || column.is_time()
            || look::looks_like_time(column, self.samples)
            || (can_be_clock(column)
                && !column.is_small()
                && self.samples.of(&column.name).is_empty()
                && values::closed(column, self.table).is_none()
                && values::default(column).is_none())
    }

    /// Whether a column's type, name or values say that it holds moments.
    pub(crate) fn is_shown_clock(&self, column: &CatalogueColumn) -> bool {
        self.moments.of(&column.name).is_some()
            || column.is_time()
            || look::looks_like_time(column, self.samples)
    }

    /// Whether a moment that is never NULL may stand for one that has not come yet: the end of time, its beginning,
    /// a planned one.
    fn has_stand_in(&self, column: &CatalogueColumn) -> bool {
        let of_default = column.default.is_some() && !look::defaults_to_now(column);
        of_default
            || self
                .samples
                .of(&column.name)
                .iter()
                .any(|seen| !look::has_passed(column, seen, self.samples.now))
    }

    /// Whether a row that has this has its answer: a document, and no word that may stand for one.
    fn is_sealed(&self, column: &CatalogueColumn) -> bool {
        column.not_null
            && column.default.is_none()
            && !self.samples.has_placeholder(column)
            && match column.family {
                // A "payload" may be the request's.
                Family::Bytes | Family::Json | Family::Jsonb => words::is_of_answer(&column.name),
                Family::Text => words::is_body(&column.name) && values::closed(column, self.table).is_none(),
                _ => false,
            }
    }

    /// The column that was said to be this, or that the framework has for it.
    fn said(&self, role: Role) -> Option<String> {
        self.answers.columns_of(role).into_iter().next().or_else(|| {
            let mut columns =
                self.table.columns.iter().filter(|column| self.answers.roles(&column.name).is_none());
            columns
                .find(|column| self.of_preset(column).is_some_and(|part| part.roles.contains(&role)))
                .map(|column| column.name.clone())
        })
    }

    fn choose(&self) -> Chosen {
        let name = |column: &&CatalogueColumn| column.name.clone();
        let first = |moment| self.timed(moment).first().map(name);
        let created = self.said(Role::Created).or_else(|| first(Moment::Created)).or_else(|| {
            // When it came in is its age, where every row says so.
            [Moment::Came, Moment::Finished]
                .into_iter()
                .find_map(|moment| {
                    let mut timed = self.timed(moment).into_iter();
                    timed.find(|column| column.not_null && !self.has_stand_in(column))
                })
                .map(|column| column.name.clone())
        });
        let mut expiries = self.timed(Moment::Expires);
        // What is set while somebody is at work is no expiry.
        let is_mark = |column: &&CatalogueColumn| {
            self.answers.roles(&column.name).is_some_and(|roles| roles.contains(&Role::SetMeans))
        };
        expiries.retain(|column| !is_mark(column));
        expiries.sort_by_key(|column| words::is_of_something_else(&column.name));
        let plain = expiries.iter().filter(|column| !words::is_of_something_else(&column.name));
        // The same moment once more, in another spelling, is none of its own.
        let different = plain.filter(|column| !self.is_twin(column, expiries[0])).count();
        let said = self.said(Role::Expires);
        let doubt = match (&said, expiries.first()) {
            (None, Some(column)) if words::is_of_something_else(&column.name) => {
                Some(format!("the name of {} says more than that a row expires", column.name))
            }
            (None, Some(column)) if different > 0 && !words::is_of_something_else(&column.name) => {
                Some("several columns are named like an expiry".to_owned())
            }
            _ => None,
        };
        Chosen {
            created,
            expires: said.or_else(|| expiries.first().map(name)),
            alive: self.said(Role::Alive).or_else(|| first(Moment::Alive)),
            lease: self.said(Role::Lease).or_else(|| first(Moment::Lease)),
            doubt,
        }
    }

    /// Whether two clocks have one name but for how they are written.
    fn is_twin(&self, one: &CatalogueColumn, other: &CatalogueColumn) -> bool {
        one.name == other.name || words::same_but_unit(&one.name, &other.name)
    }

    /// Explains every column.
    pub(crate) fn explain(&self) -> Vec<Explanation> {
        self.table.columns.iter().map(|column| self.finding(column)).collect()
    }

    fn finding(&self, column: &CatalogueColumn) -> Explanation {
        let (roles, reason, suspect) = self.rule(column);
        Explanation { column: column.name.clone(), roles, reason, suspect }
    }

    /// The first rule that explains the column.
    fn rule(&self, column: &CatalogueColumn) -> (Vec<Role>, String, Option<Suspect>) {
        let name = column.name.as_str();
        let irrelevant = |reason: &str| (Vec::new(), reason.to_owned(), None);
        if let Some(roles) = self.answers.roles(name) {
            let of_work = roles.iter().any(|role| {
                matches!(role, Role::Lease | Role::Alive | Role::Claimed | Role::Owner | Role::Attempt)
            });
            let mut all = roles.to_vec();
            // What says whether somebody is at work may be a lease by its name besides.
            if self.is_unsaid(name)
                && let Some((clock, _, _)) = self.clock_rule(column)
            {
                all.extend(clock.into_iter().filter(|role| !roles.contains(role)));
            }
            // Nothing else, where something else was said.
            if roles.len() > 1 {
                all.retain(|role| *role != Role::Irrelevant);
            }
            // What is written when the work is done says by its NULL that it is not.
            let at_the_end = roles.iter().any(|role| {
                matches!(
                    role,
                    Role::Finished | Role::ResponseStatus | Role::ResponseHeaders | Role::ResponseBody
                )
            });
            let suspect = match column.may_stay_null() && at_the_end {
                true => Some(Suspect::Null),
                false => of_work.then_some(Suspect::Kind),
            };
            return match roles {
                [Role::Irrelevant] => irrelevant("you said so"),
                _ => (all, "you said so".into(), suspect),
            };
        }
        if self.key.key.contains(&column.name) {
            return (vec![Role::Key], self.key.why_key.clone(), None);
        }
        if self.key.scope.contains(&column.name) {
            return (vec![Role::Scope], self.key.why_scope.clone(), None);
        }
        if let (Some(preset), Some(part)) = (self.preset, self.of_preset(column)) {
            let reason = format!("so in {}", preset.name);
            return match part.roles {
                [Role::Irrelevant] => (Vec::new(), reason, None),
                roles => (roles.to_vec(), reason, None),
            };
        }
        if column.counted {
            return irrelevant("the database counts it: another number in each row");
        }
        if column.not_null && self.is_unique(name) {
            return irrelevant(
                "unique and never NULL: another value in each row, which says nothing of its work",
            );
        }
        self.clock_rule(column).unwrap_or_else(|| self.other_rule(column))
    }

    fn is_unique(&self, column: &str) -> bool {
        self.table.uniques.iter().any(|unique| match unique.columns.as_slice() {
            [Some(only)] => only == column,
            _ => false,
        })
    }

    fn clock_rule(&self, column: &CatalogueColumn) -> Option<(Vec<Role>, String, Option<Suspect>)> {
        let name = &column.name;
        let is = |chosen: &Option<String>| chosen.as_ref() == Some(name);
        let mapped = |role: Role, reason: &str, suspect| Some((vec![role], reason.to_owned(), suspect));
        let unclear = if column.not_null { Suspect::Clock } else { Suspect::Null };
        if column.sql_type.eq_ignore_ascii_case("interval")
            || (words::is_length(name, column.is_short())
                && !look::looks_like_time(column, self.samples)
                && matches!(column.family, Family::Integer | Family::Fraction | Family::Other))
        {
            return Some((
                Vec::new(),
                "a length of time, and no moment: no mapping takes it from the row".into(),
                None,
            ));
        }
        let moment = self.moments.of(name);
        if is(&self.chosen.created) {
            let reason = match moment {
                Some(Moment::Created) => "when the row was made, by its name",
                _ => "when the row came in, and never NULL: no other clock says when it was made",
            };
            return mapped(Role::Created, reason, None);
        }
        if is(&self.chosen.expires) {
            // The end of something, and perhaps of the work.
            let suspect = words::is_of_something_else(name).then_some(unclear);
            return mapped(Role::Expires, "until when the row is needed, by its name", suspect);
        }
        let twin_of = |chosen: &Option<String>| {
            let chosen = chosen.as_ref().and_then(|chosen| self.table.column(chosen));
            chosen.filter(|chosen| self.is_twin(column, chosen)).map(|chosen| chosen.name.clone())
        };
        if let Some(twin) = twin_of(&self.chosen.created).or_else(|| twin_of(&self.chosen.expires)) {
            return Some((Vec::new(), format!("the same moment as {twin}, written otherwise"), None));
        }
        match moment {
            Some(Moment::Lease) if is(&self.chosen.lease) => mapped(
                Role::Lease,
                "until when the row is held, by its name",
                Some(if column.not_null { Suspect::Kind } else { Suspect::Null }),
            ),
            Some(Moment::Alive) if is(&self.chosen.alive) => {
                mapped(Role::Alive, "the last heartbeat, by its name", Some(Suspect::Kind))
            }
            Some(Moment::Finished) if column.not_null && self.has_stand_in(column) => mapped(
                Role::Finished,
                "when the work was done, by its name; it may hold a moment that has not come",
                Some(Suspect::Values),
            ),
            Some(Moment::Finished) => mapped(
                Role::Finished,
                "when the work was done, by its name",
                (!column.not_null).then_some(Suspect::Null),
            ),
            Some(Moment::Created) if column.not_null => {
                Some((Vec::new(), "one more clock of its creation, by its name".into(), None))
            }
            Some(Moment::Updated) if column.not_null => {
                Some((Vec::new(), "when the row was changed last, by its name".into(), None))
            }
            Some(Moment::Came) if column.not_null && look::defaults_to_now(column) => {
                Some((Vec::new(), "when the row came in, by its name and its default".into(), None))
            }
            Some(Moment::Locked) => {
                Some((Vec::new(), "when the row was claimed, by its name".into(), Some(unclear)))
            }
            Some(_) => Some((Vec::new(), "a clock whose part no rule explains".into(), Some(unclear))),
            None if column.is_time() || look::looks_like_time(column, self.samples) => {
                Some((Vec::new(), "a clock that no rule explains".into(), Some(unclear)))
            }
            None => None,
        }
    }

    fn other_rule(&self, column: &CatalogueColumn) -> (Vec<Role>, String, Option<Suspect>) {
        let name = self.table.without_prefix(&column.name);
        let irrelevant = |reason: &str| (Vec::new(), reason.to_owned(), None);
        // The values of enums and checks are few, whatever the column's name.
        let few = values::closed(column, self.table).is_some();
        let is_reference = words::is_reference(name);
        let by_values = few
            || column.family == Family::Boolean
            || (column.family == Family::Integer && !is_reference)
            || column.not_null;
        let unknown = |reason: &str| {
            let suspect = if by_values { Suspect::Values } else { Suspect::Null };
            (Vec::new(), reason.to_owned(), Some(suspect))
        };
        let at_once = is_said_at_once(column);
        let number = matches!(column.family, Family::Integer | Family::Fraction);
        if column.generated {
            return unknown("the database computes it from other columns");
        }
        // What says who works on it, and how far the work came, is never explained away.
        if words::is_owner(name) {
            let suspect = if column.not_null { Suspect::Values } else { Suspect::Null };
            return (vec![Role::Owner], "who works on it, by its name".into(), Some(suspect));
        }
        if words::is_claim_token(name) {
            return unknown("a token of a claim, by its name");
        }
        if words::is_attempt(name) && column.family == Family::Integer {
            return (
                vec![Role::Attempt],
                "how many tries there were, by its name".into(),
                Some(Suspect::Values),
            );
        }
        if words::is_step(name) {
            return unknown("how far the work came, by its name");
        }
        if column.family == Family::Boolean {
            return unknown("a flag that no rule explains");
        }
        if column.family == Family::Integer
            && words::is_state(name)
            && self.samples.looks_like_http(&column.name)
        {
            return self.answer_rule(column, AnswerPart::Status);
        }
        if words::is_request_hash(&column.name) && !number {
            return (vec![Role::RequestHash], "the request's fingerprint, by its name".into(), None);
        }
        // An answer is none of a few values, whatever it is called.
        let answer = words::answer(name, column.family == Family::Integer);
        if let Some(answer) = answer.filter(|answer| !few || *answer == AnswerPart::Status) {
            return self.answer_rule(column, answer);
        }
        if words::is_failure(name) {
            return (vec![Role::Failure], "why it failed, by its name".into(), unknown("").2);
        }
        if !few && self.samples.is_own_value(column) {
            return irrelevant(
                "hardly two rows looked at have the same value, and none is empty: it is the row's own",
            );
        }
        if few || words::is_of_work(name) || words::is_state(name) {
            return unknown("no rule explains it");
        }
        if let Some(to) = column.references.as_ref().filter(|_| at_once || words::is_scope(name)) {
            return irrelevant(&format!("refers to {to}"));
        }
        let small = column.is_small();
        if at_once && !small && is_reference {
            return irrelevant("a reference, which a row is made with");
        }
        if words::is_scope(name) && at_once && (!number || words::ends_in_id(name)) && !small {
            return irrelevant("whose request it is, or what it was made to: a row is made with it");
        }
        if number {
            return match at_once && words::is_amount(name) {
                true => irrelevant("an amount, which a row is made with"),
                false => unknown("a number that no rule explains"),
            };
        }
        if words::is_trace(name) {
            return irrelevant("what the request is traced by");
        }
        // "request_refreshed_at" may be a heartbeat.
        let is_of_request = words::is_of_request(name)
            && !words::is_scope(name)
            && !(words::is_timed(name) && self.may_be_clock(column));
        if is_of_request && (at_once || column.is_document()) {
            return irrelevant("part of the request, by its name");
        }
        if is_of_request && !column.not_null && column.default.is_none() {
            return irrelevant("part of the request, by its name");
        }
        if words::is_description(name) && at_once {
            return irrelevant("what the request or the message is called, by its name");
        }
        if words::is_document(name) && (column.is_document() || column.family == Family::Text) {
            return irrelevant("what the request or the message came with, by its name");
        }
        if words::is_of_answer(name) {
            let reason = "part of the answer, by its name";
            // It is NULL until there is one.
            let suspect = column.may_stay_null().then_some(Suspect::Null);
            return (Vec::new(), reason.to_owned(), suspect);
        }
        unknown("no rule explains it")
    }

    fn answer_rule(
        &self,
        column: &CatalogueColumn,
        answer: AnswerPart,
    ) -> (Vec<Role>, String, Option<Suspect>) {
        let (role, what) = match answer {
            AnswerPart::Status => (Role::ResponseStatus, "the answer's status, by its name"),
            AnswerPart::Headers => (Role::ResponseHeaders, "the answer's headers, by its name"),
            AnswerPart::Body => (Role::ResponseBody, "the answer, by its name"),
        };
        if !column.not_null && column.may_stay_null() {
            return (vec![role], what.to_owned(), Some(Suspect::Null));
        }
        if column.default.is_some() || !column.not_null {
            let reason = format!("{what}; its default may stand for an answer that is not there yet");
            return (vec![role], reason, Some(Suspect::Values));
        }
        if self.samples.has_placeholder(column) {
            let reason = format!("{what}; some rows have a placeholder for it");
            return (vec![role], reason, Some(Suspect::Values));
        }
        let is_sealed = match answer {
            AnswerPart::Headers => true,
            AnswerPart::Body => self.is_sealed(column),
            // A number alone may say how the work stands.
            AnswerPart::Status => self.table.columns.iter().any(|other| {
                other.name != column.name
                    && words::answer(&other.name, other.family == Family::Integer) == Some(AnswerPart::Body)
                    && self.is_sealed(other)
            }),
        };
        if !is_sealed {
            let reason = format!("{what}; a value of it may stand for an answer that is not there yet");
            return (vec![role], reason, Some(Suspect::Values));
        }
        (vec![role], format!("{what}; a row can't be written without it"), None)
    }
}

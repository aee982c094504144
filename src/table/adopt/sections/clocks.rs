//! The clocks and the expiry: their lines, and the questions about them.

use super::{Draft, asking, line};
use crate::table::Family;
use crate::table::adopt::clocks::ClockProposal;
use crate::table::adopt::questions::{Choice, Question, SpanAnswer};
use crate::table::adopt::roles::Role;
use crate::table::adopt::state::Shape;
use crate::table::adopt::{Line, Section, names, toml, words};

impl<'c> Draft<'c> {
    /// One question for all clocks without a zone, at the first of their lines.
    pub(super) fn zone_question(&self) -> Option<Question> {
        let open = |clock: &&ClockProposal| {
            clock.zone_open && (clock.active || clock.role == "expires" || clock.role == "created")
        };
        let columns: Vec<String> =
            self.clocks.clocks.iter().filter(open).map(|clock| clock.column.clone()).collect();
        if columns.is_empty() {
            return None;
        }
        Some(
            Question::new(
                "zone",
                "clock.zone",
                format!(
                    "whose time does the application write where no zone is named ({})? UTC, or a zone such as \
                     Europe/Berlin",
                    names(&columns)
                ),
            )
            .on(&columns)
            .showing(self.evidence(&columns))
            .with(vec![
                Choice::new("zone = \"UTC\"", "UTC"),
                Choice::new("zone = \"Europe/Berlin\"", "local time of such a place"),
            ]),
        )
    }

    /// What may be a heartbeat or a lease: the clocks together, and each column alone that only its type allows to
    /// be one.
    pub(super) fn clock_questions(&self) -> Vec<Question> {
        let mut shown = self.asked_by("clocks");
        // An answer about the clocks is one about all of them.
        if let (false, Shape::Ask(columns)) = (shown.is_empty(), &self.state.shape) {
            shown.extend(columns.iter().filter(|name| self.is_shown_clock(name)).cloned());
        }
        let mut questions = Vec::new();
        if !shown.is_empty() {
            let only_claims = shown.iter().all(|name| {
                matches!(self.context.moments.of(name), Some(words::Moment::Locked | words::Moment::Updated))
            });
            let about = if only_claims { "clock.alive" } else { "clock.lease" };
            let mut options = vec![Choice::new("clocks = \"none\"", "none of them matters")];
            options.extend(shown.iter().flat_map(|name| self.clock_choices(name)));
            questions.push(self.clock_question("clocks", about, &shown, options));
        }
        for name in self.unexplained_clocks() {
            let id = format!("column.{name}");
            if self.asked.get(&name) == Some(&id) {
                let mut options = self.clock_choices(&name);
                options.push(Choice::role(&name, Role::Irrelevant));
                questions.push(self.clock_question(&id, "clock.alive", std::slice::from_ref(&name), options));
            }
        }
        questions
    }

    pub(super) fn clock_choices(&self, name: &str) -> Vec<Choice> {
        let offered = self.column(name).map(|column| Role::offered(column, self.context.samples, true));
        offered.into_iter().flatten().map(|roles| Choice::roles(name, &roles)).collect()
    }

    pub(super) fn clock_question(
        &self,
        id: &str,
        about: &'static str,
        columns: &[String],
        options: Vec<Choice>,
    ) -> Question {
        let text = match columns {
            [one] => {
                format!(
                    "is {one} a heartbeat of the work, the end of a lease, or another clock that matters?"
                )
            }
            several => format!(
                "is one of these clocks a heartbeat of the work, the end of a lease, or another clock that matters: {}?",
                names(several)
            ),
        };
        Question::new(id, about, text).on(columns).showing(self.evidence(columns)).with(options)
    }

    /// Questions that belong to a clock's own line.
    pub(super) fn questions_of(&self, clock: &ClockProposal) -> Vec<Question> {
        let mut questions = Vec::new();
        let columns = std::slice::from_ref(&clock.column);
        if let Some((column, doubt)) = &self.clocks.doubt
            && clock.role == "expires"
        {
            let roles = [Role::Expires, Role::Lease, Role::Finished, Role::Irrelevant];
            questions.push(
                Question::new(
                    format!("column.{column}"),
                    "clock.expires",
                    format!("may a row be deleted once {column} has passed? {doubt}"),
                )
                .on(columns)
                .showing(self.evidence(columns))
                .with(roles.map(|role| Choice::role(column, role)).to_vec()),
            );
        }
        let has_token = self.findings.iter().any(|finding| words::is_claim_token(&finding.column));
        if clock.role == "expires"
            && has_token
            && self.may_be_at_work()
            && self.clocks.of("lease").is_none()
            && self.clocks.of("alive").is_none()
            && self.context.answers.roles(&clock.column).is_none()
            && !self.context.answers.clocks
            && matches!(self.state.shape, Shape::Column(_))
            && questions.is_empty()
        {
            let name = toml::key(&clock.column);
            questions.push(
                Question::new(
                    format!("column.{}", clock.column),
                    "clock.lease",
                    format!(
                        "rows have a token of their claim, and no other end of one: while a row is in progress, is {} \
                         the end of its worker's lease?",
                        clock.column
                    ),
                )
                .on(columns)
                .showing(self.evidence(columns))
                .with(vec![
                    Choice::role(&clock.column, Role::Expires),
                    Choice::new(
                        format!("column.{name} = [\"expires\", \"lease\"]"),
                        "the end of the lease while in progress, the expiry after that",
                    ),
                ]),
            );
        }
        if let Some((about, text)) = &clock.spelling_open
            && !clock.in_doubt
        {
            let name = toml::key(&clock.column);
            let units = ["epoch_s", "epoch_ms", "epoch_us"]
                .map(|unit| Choice::new(format!("encoding.{name} = \"{unit}\""), unit.to_owned()));
            let texts = [
                Choice::new(format!("encoding.{name} = {{ text = \"iso8601\" }}"), "2026-01-31T09:00:00Z"),
                Choice::new(
                    format!("encoding.{name} = {{ text = \"sqlite\" }}"),
                    "2026-01-31 09:00:00, in UTC",
                ),
            ];
            let column = self.column(&clock.column);
            let is_text = column.is_some_and(|column| column.family == Family::Text);
            let is_number = column.is_some_and(|column| column.family == Family::Integer);
            let options = match (is_text, is_number) {
                (true, _) => texts.to_vec(),
                (_, true) => units.to_vec(),
                _ => units.into_iter().chain(texts).collect(),
            };
            questions.push(
                Question::new(format!("encoding.{}", clock.column), about, text.clone())
                    .on(columns)
                    .showing(self.evidence(columns))
                    .with(options),
            );
        }
        questions
    }

    pub(super) fn clocks(&mut self) -> Section {
        let mut lines = Vec::new();
        let mut zone = self.zone_question();
        let mut alive = self.clock_questions();
        for clock in &self.clocks.clocks {
            let role = Role::named(clock.role);
            if !clock.in_doubt
                && let Some(role) = role
            {
                self.map(&clock.column, role);
            }
            let mut questions = self.questions_of(clock);
            if zone.as_ref().is_some_and(|question| question.columns.contains(&clock.column)) {
                questions.extend(zone.take());
            }
            questions.extend(alive.extract_if(.., |question| question.columns.contains(&clock.column)));
            let toml = format!(
                "{} = {{ column = {}, as = {} }}",
                clock.role,
                toml::string(&clock.column),
                clock.encoding
            );
            let mut reason = clock.why.clone();
            if clock.role == "expires" && (!clock.active || self.holds_purge()) {
                reason.push_str(
                    "; not in force until the questions are answered: it decides what a purge deletes",
                );
            }
            let active = clock.active && !(clock.role == "expires" && self.holds_purge());
            lines.push(asking(line(&format!("table.clock.{}", clock.role), toml, active, reason), questions));
        }
        lines.extend(self.expiry(alive));
        Section { header: "[table.clock]", lines }
    }

    /// What a row's expiry is where its column is NULL, or there is none.
    pub(super) fn expiry(&self, clocks: Vec<Question>) -> Vec<Line> {
        let answers = self.context.answers;
        let expires = self.clocks.of("expires");
        let created = self.clocks.of("created");
        let is_sure = created.is_some_and(|created| created.active && !created.unsure);
        let ttl = |span: &str, active: bool, why: &str| {
            let active = active && !self.holds_purge();
            line("table.clock.ttl", format!("ttl = {}", toml::string(span)), active, why)
        };
        let in_force = expires.is_some_and(|expires| expires.active) && !self.holds_purge();
        let mut lines = Vec::new();
        match (expires, self.clocks.null_expires) {
            (Some(expires), Some(is_null)) => {
                let never = |why: &str, questions| {
                    asking(
                        line("table.clock.null_expires", "null_expires = \"never\"".into(), in_force, why),
                        questions,
                    )
                };
                match &answers.null_expires {
                    Some(SpanAnswer::After(span, _)) => {
                        lines.push(ttl(span, is_sure && in_force, "you said so, where the expiry is NULL"));
                        lines.push(line(
                            "table.clock.null_expires",
                            "null_expires = \"ttl\"".into(),
                            is_sure && in_force,
                            "you said so",
                        ));
                    }
                    Some(SpanAnswer::Never) => lines.push(never("you said so", Vec::new())),
                    None => {
                        let mut questions = Vec::new();
                        if is_null {
                            let columns = std::slice::from_ref(&expires.column);
                            questions.push(
                                Question::new(
                                    "null_expires",
                                    "clock.null_expires",
                                    format!(
                                        "what does NULL in {} mean: kept for ever (never), or for a ttl from its \
                                         creation (ttl)?",
                                        expires.column
                                    ),
                                )
                                .on(columns)
                                .showing(self.evidence(columns))
                                .with(vec![
                                    Choice::new("null_expires = \"never\"", "such a row stays"),
                                    Choice::new("null_expires = \"24h\"", "it expires so long after its creation"),
                                ]),
                            );
                        }
                        lines.push(never("the expiry may be NULL; such a row stays", questions));
                    }
                }
            }
            (Some(_), None) => {}
            (None, _) => match &answers.ttl {
                Some(SpanAnswer::After(span, _)) if created.is_some() => {
                    lines.push(ttl(span, is_sure, "you said so"));
                }
                Some(_) => lines.push(ttl("24h", false, "it is not to be purged: you said so")),
                None if created.is_none() => {
                    lines.push(ttl("24h", false, "no clock says when a row was made, nor when it expires"));
                }
                None => {
                    let mut text =
                        "how long after its creation is a row needed? Without it a purge is refused"
                            .to_owned();
                    let lengths = self
                        .context
                        .table
                        .columns
                        .iter()
                        .filter(|column| words::is_length(&column.name, column.is_short()));
                    if let Some(column) = lengths.map(|column| &column.name).next() {
                        text = format!("{text}. {column} says it row by row, which no mapping can");
                    }
                    if created.is_some_and(|created| created.unsure) {
                        text.push_str("; answer first how the age is written");
                    }
                    let question = Question::new("ttl", "clock.ttl", text).with(vec![
                        Choice::new("ttl = \"24h\"", "so long after its creation"),
                        Choice::new("ttl = \"never\"", "it is not to be purged"),
                    ]);
                    lines.push(asking(ttl("24h", false, "only the age is known, no expiry"), vec![question]));
                }
            },
        }
        for question in clocks {
            lines.push(asking(
                line(
                    "table.clock.lease",
                    format!(
                        "lease = {{ column = {}, as = \"timestamptz\" }}",
                        toml::string(question.columns.first().map_or("", String::as_str))
                    ),
                    false,
                    "perhaps; until it is answered reap-stuck and fail are off",
                ),
                vec![question],
            ));
        }
        lines
    }
}

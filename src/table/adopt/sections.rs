//! The mapping as lines of the configuration, with the questions at the lines that they are about; and the
//! account of all columns that follows from it.

use std::collections::BTreeMap;

use super::clocks::{ClockProposal, ClockSet};
use super::explain::{Context, Explanation, Suspect};
use super::facts::CatalogueColumn;
use super::look::{self, evidence};
use super::questions::{Choice, Question, RuleAnswer, SpanAnswer, ValueMeaning};
use super::roles::{Account, Fate, Role};
use super::state::{self, Shape, StateProposal, StateValues};
use super::words::AnswerPart;
use super::{Line, Section, names, toml, values, words};
use crate::table::{Family, Literal};

/// What a mapping is made of.
pub(super) struct Draft<'c> {
    context: &'c Context<'c>,
    findings: &'c [Explanation],
    state: &'c StateProposal,
    clocks: &'c ClockSet,
    /// The columns that a question asks about, and which one.
    asked: BTreeMap<String, String>,
    /// The columns that a line of the mapping names, and as what.
    mapped: BTreeMap<String, Vec<Role>>,
}

fn line(setting: &str, toml: String, active: bool, reason: impl Into<String>) -> Line {
    Line { setting: setting.to_owned(), toml, active, reason: reason.into(), questions: Vec::new() }
}

fn asking(line: Line, questions: Vec<Question>) -> Line {
    Line { questions, ..line }
}

impl<'c> Draft<'c> {
    pub(super) fn new(
        context: &'c Context<'c>,
        findings: &'c [Explanation],
        state: &'c StateProposal,
        clocks: &'c ClockSet,
    ) -> Self {
        let mut mapping =
            Self { context, findings, state, clocks, asked: BTreeMap::new(), mapped: BTreeMap::new() };
        if let Shape::Ask(columns) = &state.shape {
            for column in columns {
                mapping.asked.insert(column.clone(), "state".into());
            }
        }
        if let Some((column, _)) = &clocks.doubt {
            mapping.asked.entry(column.clone()).or_insert_with(|| format!("column.{column}"));
        }
        let unexplained = mapping.unexplained_clocks();
        for column in state.others.iter().filter(|column| !unexplained.contains(column)) {
            mapping.asked.entry(column.clone()).or_insert_with(|| "others".into());
        }
        for column in unexplained {
            let id = if mapping.is_shown_clock(&column) && !context.answers.clocks {
                "clocks".to_owned()
            } else {
                format!("column.{column}")
            };
            mapping.asked.entry(column).or_insert(id);
        }
        for column in mapping.unclear_references() {
            mapping.asked.entry(column).or_insert_with(|| "response_ref".into());
        }
        mapping
    }

    fn column(&self, name: &str) -> Option<&'c CatalogueColumn> {
        self.context.table.column(name)
    }

    fn created(&self) -> Option<&'c CatalogueColumn> {
        self.context.chosen.created.as_ref().and_then(|name| self.column(name))
    }

    fn evidence<S: AsRef<str>>(&self, columns: &[S]) -> Vec<String> {
        let columns = columns.iter().filter_map(|name| self.column(name.as_ref()));
        columns
            .flat_map(|column| evidence(self.context.table, column, self.context.samples, self.created()))
            .collect()
    }

    fn asked_by(&self, id: &str) -> Vec<String> {
        let columns = self.context.table.columns.iter().map(|column| &column.name);
        columns.filter(|column| self.asked.get(*column).is_some_and(|by| by == id)).cloned().collect()
    }

    /// Whether a column's type, name or values say that it holds moments. Of any other it is only not known that it
    /// does not; it is asked about alone, since the answer about the clocks may have been given before it was.
    fn is_shown_clock(&self, name: &str) -> bool {
        self.column(name).is_some_and(|column| self.context.is_shown_clock(column))
    }

    /// The clocks that may be a lease or a heartbeat, as far as that matters.
    fn unexplained_clocks(&self) -> Vec<String> {
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
    fn unclear_references(&self) -> Vec<String> {
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

    /// Columns that refer to something, and have no other part.
    fn references(&self) -> Vec<&'c CatalogueColumn> {
        let free = |finding: &&Explanation| {
            finding.roles.is_empty()
                && self.context.answers.roles(&finding.column).is_none()
                && words::is_reference(&finding.column)
                && !words::is_trace(&finding.column)
                && !words::is_of_work(&finding.column)
                && !words::is_claim_token(&finding.column)
        };
        let columns = self.findings.iter().filter(free).filter_map(|finding| self.column(&finding.column));
        columns.filter(|column| !column.counted && column.default.is_none()).collect()
    }

    /// The reference that leaves no doubt: its name says so, or it is the only one and a foreign key.
    fn sure_reference(&self) -> Option<&'c CatalogueColumn> {
        let references = self.references();
        let named = references.iter().find(|column| words::is_result_reference(&column.name));
        named
            .or_else(|| match references.as_slice() {
                [only] if only.references.is_some() => Some(only),
                _ => None,
            })
            .copied()
    }

    /// Whether something that nobody has explained may be a lease or a heartbeat, or may say "unfinished".
    fn is_open(&self) -> bool {
        !self.state.is_known()
            || !self.asked_by("others").is_empty()
            // What is named like an expiry, and may be the end of a claim.
            || self.clocks.doubt.is_some()
            || self.unexplained_clocks().iter().any(|column| self.asked.contains_key(column))
    }

    /// Whether nobody has said of a column that could say "unfinished" that it does not.
    fn holds_purge(&self) -> bool {
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
    fn may_be_marked(&self) -> bool {
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
    fn is_read_rightly(&self) -> bool {
        let of_work =
            |clock: &&ClockProposal| !clock.in_doubt && !matches!(clock.role, "expires" | "finished");
        self.clocks.clocks.iter().filter(of_work).all(|clock| clock.active && !clock.unsure)
    }

    /// Columns that mark a row as in progress while they are set, and may be until when, or since when.
    fn open_marks(&self) -> Vec<String> {
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
    fn unclear_marks(&self) -> Vec<&'c CatalogueColumn> {
        let is_unclear = |(name, unset): &(String, Vec<Literal>)| {
            let column = self.column(name)?;
            let by_value =
                values::closed(column, self.context.table).is_some() || column.not_null && unset.is_empty();
            let is_said = self.context.answers.values.contains_key(name);
            (column.family != Family::Boolean && by_value && !is_said).then_some(column)
        };
        self.state.marks.iter().filter_map(is_unclear).collect()
    }

    fn mark_values_question(&self, column: &CatalogueColumn) -> Question {
        let name = &column.name;
        let columns = std::slice::from_ref(name);
        let values = values::closed(column, self.context.table).unwrap_or_default();
        let value = |value: &Literal| match value {
            Literal::Text(text) => toml::string(text),
            other => toml::string(&toml::literal(other)),
        };
        let parts: Vec<String> = values.iter().map(|one| format!("{} = \"completed\"", value(one))).collect();
        Question::new(
            format!("values.{name}"),
            "state.values",
            format!(
                "with which values of {name} is a row not held? They are completed, the others in_progress"
            ),
        )
        .on(columns)
        .showing(self.evidence(columns))
        .with(vec![Choice::new(
            format!("values.{} = {{ {} }}", toml::key(name), parts.join(", ")),
            "name only the values with which it is not held",
        )])
    }

    fn mark_question(&self, name: &str) -> Question {
        let columns = [name.to_owned()];
        let both = |role: Role| Choice::roles(name, &[Role::SetMeans, role]);
        let is_text = self.column(name).is_some_and(|column| column.family == Family::Text);
        let owner = is_text.then_some(Role::Owner);
        Question::new(
            format!("column.{name}"),
            "clock.lease",
            format!("somebody works on a row while {name} is set: is it also until when, or since when?"),
        )
        .on(&columns)
        .showing(self.evidence(&columns))
        .with(
            [Role::Lease, Role::Alive, Role::Claimed]
                .into_iter()
                .chain(owner)
                .chain([Role::Irrelevant])
                .map(both)
                .collect(),
        )
    }

    /// Whether a row in progress is surely that, and its silence surely one.
    fn can_reap(&self) -> bool {
        !self.is_open()
            && self.open_marks().is_empty()
            && self.unclear_marks().is_empty()
            && self.is_read_rightly()
            && !self.state.ask_null
    }

    /// Whether a lease that protects a row is not in force.
    fn lacks_lease(&self) -> bool {
        self.clocks.of("lease").is_some_and(|lease| !lease.active || lease.unsure)
    }

    /// Whether rows can be in progress by the mapping in force.
    fn may_be_at_work(&self) -> bool {
        self.state.is_known() && self.state.can_be_in_progress()
    }

    pub(super) fn sections(&mut self) -> Vec<Section> {
        vec![
            self.names(),
            self.state(),
            self.clocks(),
            self.fail(),
            self.release(),
            self.claim(),
            self.show(),
            self.purge(),
        ]
    }

    fn map(&mut self, column: &str, role: Role) {
        let roles = self.mapped.entry(column.to_owned()).or_default();
        if !roles.contains(&role) {
            roles.push(role);
        }
    }

    fn names(&mut self) -> Section {
        let key = self.context.key;
        for column in &key.key {
            self.map(column, Role::Key);
        }
        for column in &key.scope {
            self.map(column, Role::Scope);
        }
        let name = self.context.table.config_name();
        let mut lines = vec![line("table.name", format!("name = {}", toml::string(&name)), true, "")];
        let (of_key, of_scope): (Vec<_>, Vec<_>) =
            key.questions.iter().cloned().partition(|question| question.id == "key");
        let show = |question: Question| {
            let evidence = self.evidence(&question.columns);
            question.showing(evidence)
        };
        let of_key = of_key.into_iter().map(show).collect();
        let of_scope: Vec<Question> = of_scope.into_iter().map(show).collect();
        lines.push(asking(
            line("table.key", format!("key = {}", toml::strings(&key.key)), true, key.why_key.as_str()),
            of_key,
        ));
        if !key.scope.is_empty() || !of_scope.is_empty() {
            let why = match key.scope.is_empty() {
                true => "a key is unique without any other column",
                false => key.why_scope.as_str(),
            };
            lines.push(asking(
                line("table.scope", format!("scope = {}", toml::strings(&key.scope)), true, why),
                of_scope,
            ));
        }
        if self.state.can_be_in_progress() || self.is_open() {
            let has_heartbeat =
                ["alive", "lease"].iter().any(|role| self.clocks.of(role).is_some_and(|clock| clock.active));
            let (value, why, questions) = match self.context.answers.reopens {
                Some(reopens) => (reopens, "you said so", Vec::new()),
                None if has_heartbeat || !self.may_be_at_work() => {
                    (true, "to be on the safe side: an old row may be freshly at work", Vec::new())
                }
                None => (
                    true,
                    "to be on the safe side: an old row may be freshly at work",
                    vec![
                        Question::new(
                            "reopens",
                            "reopens",
                            "does the application claim a row again in place (retries a failed or lost one by \
                             updating it)? false lets reap-stuck judge a row by its creation alone",
                        )
                        .with(vec![
                            Choice::new("reopens = false", "a row is made once, and never claimed again"),
                            Choice::new("reopens = true", "an old row may be freshly at work: reap-stuck is refused"),
                        ]),
                    ],
                ),
            };
            lines.push(asking(line("table.reopens", format!("reopens = {value}"), true, why), questions));
        }
        Section { header: "[[table]]", lines }
    }

    fn state(&mut self) -> Section {
        let state = self.state;
        let mut lines = Vec::new();
        let always = |state: &str, active, why: String| {
            line("table.state.always", format!("always = \"{state}\""), active, why)
        };
        match &state.shape {
            Shape::Column(values) => {
                self.map(&values.column, Role::State);
                lines = self.values(values);
            }
            Shape::Null(columns) => {
                for column in columns {
                    self.map(column, Role::NullMeans);
                }
                let mut questions = Vec::new();
                if state.ask_null {
                    questions.push(self.null_question(columns));
                }
                lines.push(asking(
                    line(
                        "table.state.null_means_in_progress",
                        format!("null_means_in_progress = {}", toml::strings(columns)),
                        true,
                        state.why.as_str(),
                    ),
                    questions,
                ));
            }
            Shape::Set => {}
            Shape::Always if !self.is_open() && !self.lacks_lease() => {
                lines.push(always("completed", true, state.why.clone()))
            }
            Shape::Always => {
                lines.push(always("completed", false, state.why.clone()));
                lines.push(always(
                    "in_progress",
                    true,
                    "until the questions about its clocks are answered: nothing purges a row in progress"
                        .into(),
                ));
            }
            Shape::Ask(columns) => {
                let question = self.state_question(columns);
                lines.push(asking(
                    always(
                        "in_progress",
                        true,
                        format!("{}; until that is answered: nothing purges a row in progress", state.why),
                    ),
                    vec![question],
                ));
            }
        }
        let others = self.asked_by("others");
        if let (Some(line), false) = (lines.last_mut(), others.is_empty()) {
            line.questions.push(self.others_question(&others));
        }
        if !state.marks.is_empty() {
            for (column, _) in &state.marks {
                self.map(column, Role::SetMeans);
            }
            let mark = |(column, unset): &(String, Vec<Literal>)| match unset.as_slice() {
                [] => toml::string(column),
                unset => {
                    format!("{{ column = {}, unset = {} }}", toml::string(column), toml::literals(unset))
                }
            };
            let marks: Vec<String> = state.marks.iter().map(mark).collect();
            let unclear = self.unclear_marks();
            let clocks = self.open_marks();
            let questions = clocks
                .iter()
                .map(|name| self.mark_question(name))
                .chain(unclear.iter().map(|column| self.mark_values_question(column)))
                .collect();
            lines.push(asking(
                line(
                    "table.state.set_means_in_progress",
                    format!("set_means_in_progress = [{}]", marks.join(", ")),
                    true,
                    "you said so",
                ),
                questions,
            ));
        }
        Section { header: "[table.state]", lines }
    }

    fn others_question(&self, columns: &[String]) -> Question {
        let told = names(&self.state.columns());
        let text = format!(
            "{told} tells the state. Does another column say as well that a row is unfinished, or must stay: {}? Until \
             that is answered a purge is refused",
            names(columns)
        );
        let mut options = vec![Choice::new("others = \"none\"", "none of them")];
        for column in columns.iter().filter_map(|name| self.column(name)) {
            options.push(Choice::role(&column.name, Role::SetMeans));
        }
        Question::new("others", "state", text).on(columns).showing(self.evidence(columns)).with(options)
    }

    fn state_question(&self, columns: &[String]) -> Question {
        let mut options = vec![Choice::new("state = \"none\"", "no column: a row that exists is done")];
        for column in columns.iter().filter_map(|name| self.column(name)) {
            let offered = Role::offered(column, self.context.samples, false);
            options.extend(offered.into_iter().map(|roles| Choice::roles(&column.name, &roles)));
        }
        let text = match columns {
            [] => "how does a row say that its work is done?".to_owned(),
            [one] => format!("does {one} say that the work on a row is unfinished, and how?"),
            several => format!(
                "how does a row say that its work is unfinished? One of these columns may say it: {}",
                names(several)
            ),
        };
        Question::new("state", "state", text).on(columns).showing(self.evidence(columns)).with(options)
    }

    fn null_question(&self, columns: &[String]) -> Question {
        let what = if columns.len() == 1 { "NULL there" } else { "NULL in all of them" };
        let text = format!(
            "does {what} mean that the work is in progress, or is it a finished row without an answer ({})?",
            names(columns)
        );
        let mut options: Vec<Choice> =
            columns.iter().map(|column| Choice::role(column, Role::NullMeans)).collect();
        options.push(Choice::new("state = \"none\"", "a row that exists is done, with or without an answer"));
        Question::new("state", "state.null", text).on(columns).showing(self.evidence(columns)).with(options)
    }

    fn values(&self, values: &StateValues) -> Vec<Line> {
        let mut questions = Vec::new();
        if values.ask {
            questions.push(self.values_question(values));
        }
        let column = &values.column;
        let mut lines = vec![asking(
            line(
                "table.state.column",
                format!("column = {}", toml::string(column)),
                true,
                self.state.why.as_str(),
            ),
            questions,
        )];
        let mut nothing = true;
        let lists = [
            ("in_progress", &values.in_progress),
            ("completed", &values.completed),
            ("failed", &values.failed),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            nothing = false;
            let toml = format!("{name} = {}", toml::literals(list));
            lines.push(line(&format!("table.state.{name}"), toml, true, ""));
        }
        if !values.keep.is_empty() {
            lines.push(line(
                "table.state.keep",
                format!("keep = {}", toml::literals(&values.keep)),
                true,
                "kept on purpose",
            ));
        }
        let null = match values.null {
            Some(ValueMeaning::InProgress) => Some("in_progress"),
            Some(ValueMeaning::Completed) => Some("completed"),
            Some(ValueMeaning::Failed) => Some("failed"),
            Some(ValueMeaning::Keep) => Some("keep"),
            None => None,
        };
        if let Some(null) = null {
            lines.push(line("table.state.null", format!("null = \"{null}\""), true, "you said so"));
        } else if nothing {
            lines.push(line(
                "table.state.null",
                "null = \"keep\"".into(),
                true,
                "until the values are listed no row's state is known, and none is touched",
            ));
        }
        lines
    }

    fn values_question(&self, values: &StateValues) -> Question {
        let column = &values.column;
        let literal = |value: &Literal| match value {
            Literal::Text(text) => text.clone(),
            other => toml::literal(other),
        };
        let text = match values.known.as_slice() {
            [] => format!("nothing lists the values of {column}: which are there, and what does each mean?"),
            _ if values.closed => format!("what does each value of {column} mean?"),
            _ => format!("what does each value of {column} mean, and are there others?"),
        };
        let mut unclear: Vec<String> =
            values.unclear.iter().flatten().map(|value| toml::string(&literal(value))).collect();
        if values.unclear.contains(&None) {
            unclear.push("NULL".into());
        }
        let text = match unclear.is_empty() {
            true => text,
            false => format!("{text} Not clear: {}", unclear.join(", ")),
        };
        let known = |value: &Literal| {
            let of = [
                (&values.in_progress, "in_progress"),
                (&values.completed, "completed"),
                (&values.failed, "failed"),
                (&values.keep, "keep"),
            ];
            of.into_iter().find(|(list, _)| list.contains(value)).map_or("keep", |(_, name)| name)
        };
        let mut parts: Vec<String> = values
            .known
            .iter()
            .map(|value| format!("{} = \"{}\"", toml::string(&literal(value)), known(value)))
            .collect();
        if values.unclear.contains(&None) {
            parts.push("NULL = \"keep\"".into());
        }
        let example = format!("values.{} = {{ {} }}", toml::key(column), parts.join(", "));
        let mut options = vec![Choice::new(
            example,
            "each value in_progress, completed, failed, or keep; a value that is left out is never touched",
        )];
        // It was taken for the state, and may be something else.
        if self.context.answers.roles(column).is_none() && self.context.preset.is_none() {
            options.push(Choice::role(column, Role::Irrelevant));
        }
        Question::new(format!("values.{column}"), "state.values", text)
            .on(std::slice::from_ref(column))
            .showing(self.evidence(std::slice::from_ref(column)))
            .with(options)
    }

    /// One question for all clocks without a zone, at the first of their lines.
    fn zone_question(&self) -> Option<Question> {
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
    fn clock_questions(&self) -> Vec<Question> {
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

    fn clock_choices(&self, name: &str) -> Vec<Choice> {
        let offered = self.column(name).map(|column| Role::offered(column, self.context.samples, true));
        offered.into_iter().flatten().map(|roles| Choice::roles(name, &roles)).collect()
    }

    fn clock_question(
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
    fn questions_of(&self, clock: &ClockProposal) -> Vec<Question> {
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

    fn clocks(&mut self) -> Section {
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
    fn expiry(&self, clocks: Vec<Question>) -> Vec<Line> {
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

    /// A rule that was answered; `None` where it was not.
    fn rule(&self, setting: &str, answer: Option<&RuleAnswer>) -> Option<Vec<Line>> {
        let members = |pairs: &[(String, Literal)]| {
            let pairs: Vec<String> = pairs
                .iter()
                .map(|(column, value)| format!("{} = {}", toml::key(column), toml::literal(value)))
                .collect();
            format!("{{ {} }}", pairs.join(", "))
        };
        let said = "you said so";
        let active = setting != "table.fail" || self.can_reap();
        Some(match answer? {
            RuleAnswer::None => Vec::new(),
            RuleAnswer::Delete => vec![line(setting, "delete = true".into(), active, said)],
            RuleAnswer::Set { set, null, now } => {
                let mut lines = Vec::new();
                if !set.is_empty() {
                    lines.push(line(setting, format!("set = {}", members(set)), active, said));
                }
                for (name, columns) in [("set_null", null), ("set_now", now)] {
                    if !columns.is_empty() {
                        lines.push(line(setting, format!("{name} = {}", toml::strings(columns)), active, ""));
                    }
                }
                lines
            }
        })
    }

    fn fail(&self) -> Section {
        let header = "[table.fail]";
        if let Some(lines) = self.rule("table.fail", self.context.answers.fail.as_ref()) {
            return Section { header, lines };
        }
        if !self.may_be_at_work() {
            return Section { header, lines: Vec::new() };
        }
        let failed = match &self.state.shape {
            Shape::Column(values) => values.failed.first().map(|value| (values, value)),
            _ => None,
        };
        let mut options =
            vec![Choice::new("fail = \"delete\"", "the row is deleted: the next request starts anew")];
        let written = failed
            .map(|(values, value)| format!("{{ {} = {} }}", toml::key(&values.column), toml::literal(value)));
        if let Some(written) = &written {
            options.insert(0, Choice::new(format!("fail = {written}"), "the value that means failed"));
        }
        options.push(Choice::new("fail = \"none\"", "reap-stuck and fail stay off"));
        let question = Question::new(
            "fail",
            "fail",
            "what does the application write when the work fails? reap-stuck and fail write the same",
        )
        .with(options);
        let line = match (failed, written) {
            (Some((values, _)), Some(written)) => {
                let active =
                    values.closed && values.failed.len() == 1 && !self.is_open() && self.is_read_rightly();
                let line =
                    line("table.fail", format!("set = {written}"), active, "the value that means failed");
                asking(line, if active { Vec::new() } else { vec![question] })
            }
            _ => asking(
                line("table.fail", "delete = true".into(), false, "no value that means failed is known"),
                vec![question],
            ),
        };
        Section { header, lines: vec![line] }
    }

    /// Whether a row can be failed by this mapping.
    fn can_fail(&self) -> bool {
        matches!(&self.state.shape, Shape::Column(values) if !values.failed.is_empty())
    }

    fn release(&self) -> Section {
        let header = "[table.release]";
        if let Some(lines) = self.rule("table.release", self.context.answers.release.as_ref()) {
            return Section { header, lines };
        }
        if !self.may_be_at_work() || !self.can_fail() {
            return Section { header, lines: Vec::new() };
        }
        let line = line(
            "table.release",
            "delete = true".into(),
            false,
            "what lets a failed key be tried again: until it is said, release is refused",
        );
        Section { header, lines: vec![line] }
    }

    fn claim(&self) -> Section {
        let header = "[table.claim]";
        if !self.state.is_known() {
            return Section { header, lines: Vec::new() };
        }
        let can_fail = self.may_be_at_work() && self.can_fail();
        let said = self.context.answers.claim.as_ref();
        let mut lines = Vec::new();
        let mut add = |name: &str, answered: Option<Option<&String>>, default: &str| {
            match answered {
            Some(Some(value)) => lines.push(line(
                &format!("table.claim.{name}"),
                format!("{name} = {}", toml::string(value)),
                true,
                "you said so",
            )),
            Some(None) => {}
            None => lines.push(line(
                &format!("table.claim.{name}"),
                format!("{name} = {}", toml::string(default)),
                false,
                match name {
                    "expired" => "whether the application's claim treats an expired row as absent, or blocks: until \
                                  it is said, the verdict on such a row is unknown",
                    _ => "whether a failed key may be tried again (retry), or is final: until it is said, the verdict \
                          on it is unknown",
                },
            )),
        }
        };
        add("expired", said.map(|(expired, _)| expired.as_ref()), "blocks");
        if can_fail || said.is_some_and(|(_, failed)| failed.is_some()) {
            add("failed", said.map(|(_, failed)| failed.as_ref()), "final");
        }
        Section { header, lines }
    }

    fn show(&mut self) -> Section {
        const SHOWN: [Role; 8] = [
            Role::RequestHash,
            Role::ResponseStatus,
            Role::ResponseHeaders,
            Role::ResponseBody,
            Role::ResponseRef,
            Role::Attempt,
            Role::Owner,
            Role::Failure,
        ];
        let mut lines = Vec::new();
        for role in SHOWN {
            let candidates = self.findings.iter().filter(|finding| finding.roles.contains(&role));
            let found = candidates
                .filter_map(|finding| Some((self.column(&finding.column)?, finding.reason.clone())));
            // An array or a composite type is shown by nothing.
            let mut found = found.filter(|(column, _)| {
                !matches!(role, Role::ResponseHeaders | Role::ResponseBody) || column.family != Family::Other
            });
            let shown = match role {
                Role::ResponseRef => found.next().or_else(|| self.shown_reference()),
                _ => found.next(),
            };
            if let Some((column, reason)) = shown {
                self.map(&column.name, role);
                lines.push(line(
                    &format!("table.show.{}", role.as_str()),
                    format!("{} = {}", role.as_str(), toml::string(&column.name)),
                    true,
                    reason,
                ));
            }
        }
        let columns = self.asked_by("response_ref");
        if !columns.is_empty() {
            let mut options: Vec<Choice> = columns
                .iter()
                .map(|column| {
                    Choice::new(
                        format!("response_ref = {}", toml::string(column)),
                        "a reference to what was made",
                    )
                })
                .collect();
            options.push(Choice::new("response_ref = \"none\"", "none of them"));
            let question = Question::new(
                "response_ref",
                "show.response_ref",
                format!("does one of these refer to what the request made: {}?", names(&columns)),
            )
            .on(&columns)
            .showing(self.evidence(&columns))
            .with(options);
            let first = columns.first().map_or("", String::as_str);
            lines.push(asking(
                line(
                    "table.show.response_ref",
                    format!("response_ref = {}", toml::string(first)),
                    false,
                    "perhaps; nothing depends on it but what inspect and replay show",
                ),
                vec![question],
            ));
        }
        Section { header: "[table.show]", lines }
    }

    fn shown_reference(&self) -> Option<(&'c CatalogueColumn, String)> {
        match &self.context.answers.response_ref {
            Some(Some(name)) => Some((self.column(name)?, "you said so".into())),
            Some(None) => None,
            None if self.context.preset.is_some() => None,
            None => {
                let column = self.sure_reference()?;
                Some((column, "what the request made, by its name or its foreign key".into()))
            }
        }
    }

    fn purge(&self) -> Section {
        let table = self.context.table;
        let mut lines = Vec::new();
        if !table.inbound.is_empty() {
            let said = self.context.answers.allow_cascade;
            let question = Question::new(
                "allow_cascade",
                "purge.allow_cascade",
                format!(
                    "may a purge reach the rows of other tables that point here: {}?",
                    names(&table.inbound)
                ),
            )
            .with(vec![
                Choice::new("allow_cascade = true", "the purge deletes or changes them too"),
                Choice::new("allow_cascade = false", "the purge is refused"),
            ]);
            let why = if said.is_some() { "you said so" } else { "no catalogue says it" };
            lines.push(asking(
                line(
                    "table.purge.allow_cascade",
                    format!("allow_cascade = {}", said.unwrap_or(true)),
                    said.is_some(),
                    why,
                ),
                if said.is_some() { Vec::new() } else { vec![question] },
            ));
        }
        Section { header: "[table.purge]", lines }
    }

    /// What became of each column: made of the lines, so that it is called after them.
    pub(super) fn accounts(&self) -> Vec<Account> {
        let told = self.state.columns();
        let account = |(finding, column): (&Explanation, &CatalogueColumn)| {
            let asked = self.asked.get(&finding.column).filter(|_| !told.contains(&finding.column));
            let (fate, reason) = match (asked, self.mapped.get(&finding.column)) {
                (Some(id), _) => (Fate::Asked(id.clone()), finding.reason.clone()),
                (None, Some(roles)) => {
                    let is_state = roles.iter().any(|role| role.is_state());
                    let reason = if is_state { self.state.why.clone() } else { finding.reason.clone() };
                    (Fate::Mapped(roles.clone()), reason)
                }
                (None, None) => (Fate::Irrelevant, self.irrelevant(finding, &told)),
            };
            Account { column: column.name.clone(), sql_type: column.sql_type.clone(), fate, reason }
        };
        self.findings.iter().zip(&self.context.table.columns).map(account).collect()
    }

    /// Why nothing depends on a column. One that could say "unfinished" is irrelevant only beside another one
    /// that says it, or because somebody said so.
    fn irrelevant(&self, finding: &Explanation, told: &[String]) -> String {
        if finding.suspect.is_none() {
            return finding.reason.clone();
        }
        match told {
            [] if self.context.answers.state || self.context.answers.clocks => {
                format!("{}; you said that it does not matter", finding.reason)
            }
            [] => finding.reason.clone(),
            told => {
                format!("{}; {} tells the state, and nothing else depends on it", finding.reason, names(told))
            }
        }
    }
}

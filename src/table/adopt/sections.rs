//! The mapping as lines of the configuration, with the questions at the lines that they are about; and the
//! account of all columns that follows from it.

mod clocks;
mod open;
mod rules;
mod states;

use std::collections::BTreeMap;

use super::clocks::ClockSet;
use super::explain::{Context, Explanation};
use super::facts::CatalogueColumn;
use super::look::evidence;
use super::questions::{Choice, Question};
use super::roles::{Account, Fate, Role};
use super::state::{Shape, StateProposal};
use super::{Line, Section, names, toml, words};
use crate::table::Family;

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

//! From what the catalogue says of a table to a mapping that describes it: pure, no database.
//!
//! The hard rule: a mapping that is used as it is proposed deletes no row that may be live. What decides
//! about deletions and is not known for sure is proposed, but not in force until somebody says so; where
//! a mapping must say something, it says what keeps rows.

mod clocks;
mod facts;
mod key;
mod rank;
mod state;
mod toml;
mod values;
mod words;

use crate::store::Dialect;
use crate::table::{Family, Ident};

pub(crate) use clocks::{ClockProposal, Moments};
pub(crate) use facts::{ColumnFacts, Occurrence, Samples, Storage, TableFacts, UniqueFacts};
pub(crate) use rank::{Candidate, is_own, rank};
pub(crate) use state::Shape;
pub(crate) use values::checks_in;

use clocks::{ClockSet, Surroundings};
use key::KeyProposal;
use state::StateProposal;
use words::Answer;

/// So many characters of a value are looked at.
pub(crate) const SAMPLE_CHARACTERS: usize = 64;

/// What the catalogue can't say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// What it is about, as a path in the mapping: `clock.ttl`.
    pub(crate) about: &'static str,
    /// In words.
    pub(crate) text: String,
}

impl Question {
    pub(crate) fn new(about: &'static str, text: impl Into<String>) -> Self {
        Self { about, text: text.into() }
    }
}

/// One line of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The knob, as errors name it: `table.clock.expires`.
    pub(crate) knob: String,
    /// As TOML.
    pub(crate) toml: String,
    /// In force; else it stands there as a comment until somebody says so.
    pub(crate) active: bool,
    /// Why.
    pub(crate) reason: String,
    /// What has to be asked about it.
    pub(crate) questions: Vec<Question>,
}

/// Lines below one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// `[table.clock]`; the first one has `[[table]]`.
    pub(crate) header: &'static str,
    /// The lines.
    pub(crate) lines: Vec<Line>,
}

/// A mapping, why it is so, and what has to be asked.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    /// The table, as a configuration names it.
    pub(crate) table: String,
    pub(crate) key: Vec<String>,
    pub(crate) scope: Vec<String>,
    pub(crate) shape: Shape,
    pub(crate) clocks: Vec<ClockProposal>,
    pub(crate) sections: Vec<Section>,
}

impl Proposal {
    /// All questions, in the order of the lines.
    pub(crate) fn questions(&self) -> impl Iterator<Item = (&Line, &Question)> {
        let lines = self.sections.iter().flat_map(|section| &section.lines);
        lines.flat_map(|line| line.questions.iter().map(move |question| (line, question)))
    }
}

/// Several names in a sentence.
pub(crate) fn names<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

/// The columns whose values help, each to be looked at in a bounded number of rows.
pub(crate) fn wanted(table: &TableFacts, dialect: Dialect) -> Vec<String> {
    let table = &mappable(table);
    let moments = Moments::find(table, dialect);
    let mut columns = clocks::wanted(table, &moments);
    columns.extend(state::wanted(table, &moments));
    columns
}

/// The table without the columns that no mapping could name.
fn mappable(table: &TableFacts) -> TableFacts {
    let mut table = table.clone();
    table.columns.retain(|column| Ident::new(column.name.as_str()).is_ok());
    let known: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let is_known = |column: &Option<String>| column.as_ref().is_none_or(|name| known.contains(name));
    table.uniques.retain(|unique| unique.columns.iter().all(is_known));
    table
}

/// How many columns have no part in an idempotency table.
fn strangers(table: &TableFacts, key: &KeyProposal, moments: &Moments) -> usize {
    let is_stranger = |column: &&ColumnFacts| {
        let name = column.name.as_str();
        !(key.key.contains(&column.name)
            || key.scope.contains(&column.name)
            || moments.of(name).is_some()
            || column.counted
            || words::key_score(name) > 0
            || words::answer(name, column.family == Family::Integer).is_some()
            || words::is_state(name)
            || words::is_step(name)
            || words::is_of_request(name)
            || words::is_owner(name)
            || words::is_claim_token(name)
            || words::is_failure(name)
            || words::is_attempt(name)
            || words::is_ttl(name)
            || words::is_reference(name)
            || words::flag(name).is_some())
    };
    table.columns.iter().filter(is_stranger).count()
}

/// The mapping of a table; `None` where nothing in it could be a key.
pub(crate) fn propose(table: &TableFacts, dialect: Dialect, samples: &Samples) -> Option<Proposal> {
    let table = &mappable(table);
    let moments = Moments::find(table, dialect);
    let key = key::propose(table, &moments)?;
    let state = state::propose(table, &key, &moments, samples);
    let strange = strangers(table, &key, &moments);
    let around = Surroundings {
        dedicated: words::says_idempotent(&table.name) || strange == 0,
        in_progress: state.can_be_in_progress(),
        finished_is_state: matches!(&state.shape, Shape::Null(columns)
            if columns.iter().any(|column| moments.of(column).is_some())),
        claim_token: table.columns.iter().any(|column| words::is_claim_token(&column.name)),
    };
    let clocks = clocks::propose(table, dialect, &moments, samples, &around);
    let sections = vec![
        names_section(table, &key, &state),
        state_section(&state),
        clock_section(&clocks),
        fail_section(&state, &clocks),
        release_section(&state),
        claim_section(&state),
        show_section(table, &key, &state, &moments),
        purge_section(table),
    ];
    Some(Proposal {
        table: table.config_name(),
        key: key.key,
        scope: key.scope,
        shape: state.shape,
        clocks: clocks.clocks,
        sections: sections.into_iter().filter(|section| !section.lines.is_empty()).collect(),
    })
}

fn line(knob: &str, toml: String, active: bool, reason: impl Into<String>) -> Line {
    Line { knob: knob.to_owned(), toml, active, reason: reason.into(), questions: Vec::new() }
}

fn names_section(table: &TableFacts, key: &KeyProposal, state: &StateProposal) -> Section {
    let mut lines =
        vec![line("table.name", format!("name = {}", toml::string(&table.config_name())), true, "")];
    let (of_key, of_scope): (Vec<_>, Vec<_>) =
        key.questions.iter().cloned().partition(|question| question.about == "key");
    lines.push(Line {
        questions: of_key,
        ..line("table.key", format!("key = {}", toml::strings(&key.key)), true, key.why_key.as_str())
    });
    if !key.scope.is_empty() {
        lines.push(Line {
            questions: of_scope,
            ..line(
                "table.scope",
                format!("scope = {}", toml::strings(&key.scope)),
                true,
                key.why_scope.as_str(),
            )
        });
    } else if !of_scope.is_empty() {
        lines.push(Line {
            questions: of_scope,
            ..line("table.scope", "scope = []".into(), true, "a key is unique without any other column")
        });
    }
    if state.can_be_in_progress() {
        lines.push(Line {
            questions: vec![Question::new(
                "reopens",
                "does the application claim a row again in place (retries a failed or lost one by updating \
                 it)? false lets reap-stuck judge a row by its creation alone",
            )],
            ..line(
                "table.reopens",
                "reopens = true".into(),
                true,
                "to be on the safe side: an old row may be freshly at work",
            )
        });
    }
    Section { header: "[[table]]", lines }
}

fn state_section(state: &StateProposal) -> Section {
    let mut lines = Vec::new();
    match &state.shape {
        Shape::Column { column, in_progress, completed, failed } => {
            let (about_failed, about): (Vec<_>, Vec<_>) =
                state.questions.iter().cloned().partition(|question| question.about == "state.failed");
            let mut about = about;
            if !state.unclear.is_empty()
                && let Some(question) = about.first_mut()
            {
                question.text.push_str(&format!(" Not clear: {}", toml::literals(&state.unclear)));
            }
            lines.push(Line {
                questions: about,
                ..line(
                    "table.state.column",
                    format!("column = {}", toml::string(column)),
                    true,
                    state.why.as_str(),
                )
            });
            let lists = [
                ("in_progress", in_progress, Vec::new()),
                ("completed", completed, Vec::new()),
                ("failed", failed, about_failed),
            ];
            for (name, values, questions) in lists {
                if values.is_empty() && questions.is_empty() {
                    continue;
                }
                let reason = match values.is_empty() {
                    true => "none is known; rows of a value that is not listed are never touched",
                    false => "",
                };
                lines.push(Line {
                    questions,
                    ..line(
                        &format!("table.state.{name}"),
                        format!("{name} = {}", toml::literals(values)),
                        !values.is_empty(),
                        reason,
                    )
                });
            }
            if in_progress.is_empty() && completed.is_empty() && failed.is_empty() {
                lines.push(line(
                    "table.state.null",
                    "null = \"in_progress\"".into(),
                    true,
                    "until the values are listed all rows are of an unknown state, and none is touched",
                ));
            }
        }
        Shape::Null(columns) => lines.push(Line {
            questions: state.questions.clone(),
            ..line(
                "table.state.null_means_in_progress",
                format!("null_means_in_progress = {}", toml::strings(columns)),
                true,
                state.why.as_str(),
            )
        }),
        Shape::Always if !state.doubtful => lines.push(Line {
            questions: state.questions.clone(),
            ..line("table.state.always", "always = \"completed\"".into(), true, state.why.as_str())
        }),
        Shape::Always => {
            lines.push(Line {
                questions: state.questions.clone(),
                ..line("table.state.always", "always = \"completed\"".into(), false, state.why.as_str())
            });
            lines.push(line(
                "table.state.always",
                "always = \"in_progress\"".into(),
                true,
                "until that is answered: nothing purges a row in progress",
            ));
        }
        Shape::Ask(_) => lines.push(Line {
            questions: state.questions.clone(),
            ..line(
                "table.state.always",
                "always = \"in_progress\"".into(),
                true,
                format!("{}; until that is answered: nothing purges a row in progress", state.why),
            )
        }),
    }
    Section { header: "[table.state]", lines }
}

fn clock_section(set: &ClockSet) -> Section {
    let mut lines = Vec::new();
    for clock in &set.clocks {
        let toml = format!(
            "{} = {{ column = {}, as = {} }}",
            clock.role,
            toml::string(&clock.column),
            clock.encoding
        );
        let mut reason = clock.why.clone();
        if clock.role == "expires" && !clock.active {
            reason
                .push_str("; not in force until the questions are answered: it decides what a purge deletes");
        }
        lines.push(Line {
            questions: clock.questions.clone(),
            ..line(&format!("table.clock.{}", clock.role), toml, clock.active, reason)
        });
    }
    let expires = set.clocks.iter().find(|clock| clock.role == "expires");
    let created = set.clocks.iter().find(|clock| clock.role == "created");
    match expires {
        Some(expires) if set.null_expires => lines.push(Line {
            questions: vec![Question::new(
                "clock.null_expires",
                format!(
                    "what does NULL in {} mean: kept for ever (never), or for a ttl from its creation (ttl)?",
                    expires.column
                ),
            )],
            ..line(
                "table.clock.null_expires",
                "null_expires = \"never\"".into(),
                expires.active,
                "the expiry may be NULL; such a row stays",
            )
        }),
        Some(_) => {}
        None => {
            let mut text =
                "how long after its creation is a row needed? Without it a purge is refused".to_owned();
            if let Some(column) = &set.ttl_column {
                text = format!("{text}. {column} says it row by row, which no mapping can");
            }
            if created.is_some_and(|created| created.unsure) {
                text.push_str("; answer first how the age is written");
            }
            lines.push(Line {
                questions: vec![Question::new("clock.ttl", text)],
                ..line("table.clock.ttl", "ttl = \"24h\"".into(), false, "only the age is known, no expiry")
            });
        }
    }
    Section { header: "[table.clock]", lines }
}

fn fail_section(state: &StateProposal, set: &ClockSet) -> Section {
    if !state.can_be_in_progress() {
        return Section { header: "[table.fail]", lines: Vec::new() };
    }
    let ask = Question::new(
        "fail",
        "what does the application write when the work fails? reap-stuck and fail write the same",
    );
    let failed = match &state.shape {
        Shape::Column { column, failed, .. } => failed.first().map(|value| (column, value, failed.len())),
        _ => None,
    };
    let line = match failed {
        Some((column, value, count)) => {
            // A silence that is counted in the wrong zone may be none.
            let sure =
                set.clocks.iter().all(|clock| clock.role == "expires" || !clock.active || !clock.unsure);
            line(
                "table.fail",
                format!("set = {{ {} = {} }}", toml::key(column), toml::literal(value)),
                state.closed && count == 1 && sure,
                "the value that means failed",
            )
        }
        None => line("table.fail", "delete = true".into(), false, "no value that means failed is known"),
    };
    Section { header: "[table.fail]", lines: vec![Line { questions: vec![ask], ..line }] }
}

fn release_section(state: &StateProposal) -> Section {
    if !state.can_be_in_progress() {
        return Section { header: "[table.release]", lines: Vec::new() };
    }
    let ask = Question::new("release", "what lets a failed key be tried again? Absent: release is refused");
    let line = line("table.release", "delete = true".into(), false, "no catalogue says it");
    Section { header: "[table.release]", lines: vec![Line { questions: vec![ask], ..line }] }
}

fn claim_section(state: &StateProposal) -> Section {
    let ask = |text: &str| vec![Question::new("claim", text)];
    let mut lines = vec![
        Line {
            questions: ask(
                "does the application's claim treat an expired row as absent, or does it block? Absent: the \
                 verdict on such a row is unknown",
            ),
            ..line("table.claim.expired", "expired = \"blocks\"".into(), false, "no catalogue says it")
        },
        Line {
            questions: ask("may a failed key be tried again by the next request (retry), or is it final?"),
            ..line("table.claim.failed", "failed = \"final\"".into(), false, "no catalogue says it")
        },
    ];
    if !state.can_be_in_progress() {
        lines.truncate(1);
    }
    Section { header: "[table.claim]", lines }
}

fn show_section(table: &TableFacts, key: &KeyProposal, state: &StateProposal, moments: &Moments) -> Section {
    let mut lines = Vec::new();
    let mut add = |name: &str, column: &ColumnFacts, reason: &str| {
        lines.push(line(
            &format!("table.show.{name}"),
            format!("{name} = {}", toml::string(&column.name)),
            true,
            reason,
        ));
    };
    let is_name = |column: &&ColumnFacts| key.key.contains(&column.name) || key.scope.contains(&column.name);
    let free: Vec<&ColumnFacts> = table
        .columns
        .iter()
        .filter(|column| !is_name(column) && moments.of(&column.name).is_none())
        .collect();
    let find = |is: fn(&str) -> bool| free.iter().find(|column| is(&column.name)).copied();
    let answers = state::answers(table, key);
    let part = |wanted: Answer| {
        let mut parts = answers.iter().filter(|(part, _)| *part == wanted).map(|(_, column)| *column);
        parts.find(|column| column.family != Family::Other)
    };
    if let Some(column) = find(words::is_request_hash) {
        add("request_hash", column, "the request's fingerprint");
    }
    let number = state.answer_status.as_deref().and_then(|name| table.column(name));
    if let Some(column) = part(Answer::Status).or(number) {
        add("response_status", column, "the answer's status");
    }
    if let Some(column) = part(Answer::Headers) {
        add("response_headers", column, "the answer's headers");
    }
    let body = part(Answer::Body);
    if let Some(column) = body {
        add("response_body", column, "the answer");
    }
    let references: Vec<&&ColumnFacts> =
        free.iter().filter(|column| words::is_reference(&column.name) && !column.counted).collect();
    if let Some(column) = references.first() {
        add("response_ref", column, "what the request made, by its name");
    }
    if let Some(column) = find(words::is_attempt).filter(|column| column.family == Family::Integer) {
        add("attempt", column, "how many tries there were");
    }
    if let Some(column) = find(words::is_owner) {
        add("owner", column, "who works on it");
    }
    if let Some(column) = find(words::is_failure) {
        add("failure", column, "why it failed");
    }
    Section { header: "[table.show]", lines }
}

fn purge_section(table: &TableFacts) -> Section {
    let mut lines = Vec::new();
    if !table.inbound.is_empty() {
        lines.push(Line {
            questions: vec![Question::new(
                "purge.allow_cascade",
                format!(
                    "may a purge reach the rows of other tables that point here: {}?",
                    names(&table.inbound)
                ),
            )],
            ..line("table.purge.allow_cascade", "allow_cascade = true".into(), false, "no catalogue says it")
        });
    }
    Section { header: "[table.purge]", lines }
}

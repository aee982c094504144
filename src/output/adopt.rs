//! `adopt`: a mapping as the configuration has it, with its reasons and questions as comments.

use std::path::Path;

use serde::Serialize;

use super::printer::{Report, View, render};
use super::text::visible;
use crate::table::Literal;
use crate::table::adopt::{Account, Candidate, ClockProposal, Fate, Line, Proposal, Question, Shape};

/// A mapping that is proposed, or the tables that one could be proposed for.
#[derive(Debug, Serialize)]
pub struct AdoptReport {
    /// The table, as a configuration names it.
    table: Option<String>,
    /// The configuration.
    configuration: Option<String>,
    /// What it says, and what waits for an answer.
    mapping: Option<MappingReport>,
    lines: Vec<LineReport>,
    /// Every column, and what became of it.
    columns: Vec<ColumnReport>,
    questions: Vec<QuestionReport>,
    candidates: Vec<CandidateReport>,
    /// The file that it was written to.
    written: Option<String>,
}

#[derive(Debug, Serialize)]
struct MappingReport {
    key: Vec<String>,
    scope: Vec<String>,
    state: StateReport,
    clocks: Vec<ClockReport>,
    /// The framework that the table's columns are of.
    preset: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct ColumnReport {
    column: String,
    #[serde(rename = "type")]
    sql_type: String,
    list: &'static str,
    roles: Vec<&'static str>,
    question: Option<String>,
    reason: String,
}

#[derive(Debug, Serialize)]
struct StateReport {
    shape: &'static str,
    columns: Vec<String>,
    in_progress: Vec<Value>,
    completed: Vec<Value>,
    failed: Vec<Value>,
    keep: Vec<Value>,
    set: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Int(i64),
    Bool(bool),
}

impl From<&Literal> for Value {
    fn from(value: &Literal) -> Self {
        match value {
            Literal::Text(text) => Self::Text(text.clone()),
            Literal::Int(number) => Self::Int(*number),
            Literal::Bool(flag) => Self::Bool(*flag),
        }
    }
}

#[derive(Debug, Serialize)]
struct ClockReport {
    role: &'static str,
    column: String,
    #[serde(rename = "as")]
    encoding: Option<String>,
    in_doubt: bool,
    active: bool,
}

#[derive(Debug, Serialize)]
struct LineReport {
    setting: String,
    toml: String,
    active: bool,
    reason: String,
}

#[derive(Debug, Serialize)]
struct QuestionReport {
    id: String,
    about: &'static str,
    setting: String,
    columns: Vec<String>,
    question: String,
    evidence: Vec<String>,
    options: Vec<OptionReport>,
}

#[derive(Debug, Serialize)]
struct OptionReport {
    answer: String,
    means: String,
}

#[derive(Debug, Serialize)]
struct CandidateReport {
    table: String,
    score: i32,
    rows: Option<i64>,
    reasons: Vec<String>,
}

impl AdoptReport {
    /// Of one table.
    pub(crate) fn new(target: String, proposal: &Proposal, candidates: &[Candidate]) -> Self {
        let lines = proposal.sections.iter().flat_map(|section| &section.lines);
        Self {
            table: Some(proposal.table.clone()),
            configuration: Some(configuration(&target, proposal)),
            mapping: Some(MappingReport {
                key: proposal.key.clone(),
                scope: proposal.scope.clone(),
                state: StateReport { set: proposal.marks.clone(), ..StateReport::from(&proposal.shape) },
                clocks: proposal.clocks.iter().map(ClockReport::from).collect(),
                preset: proposal.preset,
            }),
            lines: lines.map(LineReport::from).collect(),
            columns: proposal.accounts.iter().map(ColumnReport::from).collect(),
            questions: proposal
                .questions()
                .map(|(line, question)| QuestionReport::new(line, question))
                .collect(),
            candidates: candidates.iter().map(CandidateReport::from).collect(),
            written: None,
        }
    }

    /// Where a person has to choose first.
    pub(crate) fn undecided(candidates: &[Candidate]) -> Self {
        Self {
            table: None,
            configuration: None,
            mapping: None,
            lines: Vec::new(),
            columns: Vec::new(),
            questions: Vec::new(),
            candidates: candidates.iter().map(CandidateReport::from).collect(),
            written: None,
        }
    }

    /// The configuration; empty where there is none.
    pub(crate) fn configuration(&self) -> &str {
        self.configuration.as_deref().unwrap_or_default()
    }

    /// How many questions are open.
    pub(crate) fn questions(&self) -> usize {
        self.questions.len()
    }

    /// It was written there.
    pub(crate) fn written(&mut self, path: &Path) {
        self.written = Some(path.display().to_string());
    }
}

impl QuestionReport {
    fn new(line: &Line, question: &Question) -> Self {
        let option = |option: &crate::table::adopt::Choice| OptionReport {
            answer: option.answer.clone(),
            means: option.means.clone(),
        };
        Self {
            id: question.id.clone(),
            about: question.about,
            setting: line.setting.clone(),
            columns: question.columns.clone(),
            question: question.text.clone(),
            evidence: question.evidence.clone(),
            options: question.options.iter().map(option).collect(),
        }
    }
}

impl From<&Account> for ColumnReport {
    fn from(account: &Account) -> Self {
        let (list, roles, question) = match &account.fate {
            Fate::Mapped(roles) => ("mapped", roles.iter().map(|role| role.as_str()).collect(), None),
            Fate::Irrelevant => ("irrelevant", Vec::new(), None),
            Fate::Asked(id) => ("asked", Vec::new(), Some(id.clone())),
        };
        Self {
            column: account.column.clone(),
            sql_type: account.sql_type.clone(),
            list,
            roles,
            question,
            reason: account.reason.clone(),
        }
    }
}

impl From<&Shape> for StateReport {
    fn from(shape: &Shape) -> Self {
        let bare = |shape: &'static str, columns: &[String]| Self {
            shape,
            columns: columns.to_vec(),
            in_progress: Vec::new(),
            completed: Vec::new(),
            failed: Vec::new(),
            keep: Vec::new(),
            set: Vec::new(),
        };
        let list = |values: &[Literal]| values.iter().map(Value::from).collect();
        match shape {
            Shape::Column(values) => Self {
                in_progress: list(&values.in_progress),
                completed: list(&values.completed),
                failed: list(&values.failed),
                keep: list(&values.keep),
                ..bare("column", std::slice::from_ref(&values.column))
            },
            Shape::Null(columns) => bare("null", columns),
            Shape::Set => bare("set", &[]),
            Shape::Always => bare("always", &[]),
            Shape::Ask(columns) => bare("ask", columns),
        }
    }
}

impl From<&ClockProposal> for ClockReport {
    fn from(clock: &ClockProposal) -> Self {
        Self {
            role: clock.role,
            column: clock.column.clone(),
            encoding: (!clock.guessed).then(|| clock.encoding.clone()),
            in_doubt: clock.in_doubt,
            active: clock.active,
        }
    }
}

impl From<&Line> for LineReport {
    fn from(line: &Line) -> Self {
        Self {
            setting: line.setting.clone(),
            toml: line.toml.clone(),
            active: line.active,
            reason: line.reason.clone(),
        }
    }
}

impl From<&Candidate> for CandidateReport {
    fn from(candidate: &Candidate) -> Self {
        Self {
            table: candidate.table.config_name(),
            score: candidate.score,
            rows: candidate.table.rows,
            reasons: candidate.reasons.clone(),
        }
    }
}

/// A comment, in lines of a readable width. Names in it come from the database: nothing of them ends
/// the comment.
fn comment(out: &mut String, mark: &str, text: &str) {
    const WIDTH: usize = 100;
    let mut line = format!("{mark} ");
    let mut is_empty = true;
    for word in visible(text).split(' ').filter(|word| !word.is_empty()) {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(line.trim_end());
            out.push_str("\n#   ");
            line = String::new();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

fn configuration(target: &str, proposal: &Proposal) -> String {
    let mut out = String::new();
    comment(
        &mut out,
        "#",
        &format!("A mapping for the table {} in {target}, made by `idemctl adopt`.", proposal.table),
    );
    comment(
        &mut out,
        "#",
        "A line that begins with \"# ?\" is a question. A setting behind a bare \"#\" waits for its answer: until \
         then the mapping is on the safe side, and what it does not know it refuses to do.",
    );
    for section in &proposal.sections {
        let in_force = section.lines.iter().any(|line| line.active) || section.header == "[table.clock]";
        out.push('\n');
        if !in_force {
            out.push('#');
        }
        out.push_str(section.header);
        out.push('\n');
        for line in &section.lines {
            if !line.reason.is_empty() {
                comment(&mut out, "#", &line.reason);
            }
            for question in &line.questions {
                comment(&mut out, "# ?", &format!("{}: {}", question.id, question.text));
                for line in &question.evidence {
                    comment(&mut out, "#     ", line);
                }
            }
            if !line.active {
                out.push('#');
            }
            out.push_str(&line.toml);
            out.push('\n');
        }
    }
    accounts(&mut out, &proposal.accounts);
    out
}

/// The three lists of columns.
fn accounts(out: &mut String, accounts: &[Account]) {
    for name in ["Mapped", "Irrelevant", "Asked"] {
        let is_of = |fate: &Fate| match fate {
            Fate::Mapped(_) => name == "Mapped",
            Fate::Irrelevant => name == "Irrelevant",
            Fate::Asked(_) => name == "Asked",
        };
        let mut of = accounts.iter().filter(|account| is_of(&account.fate)).peekable();
        out.push_str(&format!("\n# {name}:{}\n", if of.peek().is_none() { " none" } else { "" }));
        for account in of {
            let as_what = match &account.fate {
                Fate::Mapped(roles) => {
                    format!(" ({})", roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(", "))
                }
                Fate::Asked(id) => format!(" ({id})"),
                Fate::Irrelevant => String::new(),
            };
            comment(out, "#  ", &format!("{}{as_what}: {}", account.column, account.reason));
        }
    }
}

/// A question for a person at a terminal, with what is known beside it. All of it may come from the database.
pub(crate) fn question_text(question: &Question) -> String {
    let mut out = format!("\n{}: {}\n", visible(&question.id), visible(&question.text));
    for line in &question.evidence {
        out.push_str(&format!("    {}\n", visible(line)));
    }
    for (place, option) in question.options.iter().enumerate() {
        out.push_str(&format!(
            "  {:>2}  {}  # {}\n",
            place + 1,
            visible(&option.answer),
            visible(&option.means)
        ));
    }
    out.push_str("A number, an answer as written there, or Enter to leave it open: ");
    out
}

impl Report for AdoptReport {
    fn table(&self, view: &View) -> String {
        if let Some(configuration) = &self.configuration {
            return configuration.clone();
        }
        let mut table = view.table(&["table", "score", "rows", "why"]);
        for candidate in &self.candidates {
            table.add_row([
                visible(&candidate.table),
                candidate.score.to_string(),
                candidate.rows.map_or_else(|| "?".to_owned(), |rows| format!("~{rows}")),
                candidate.reasons.join("; "),
            ]);
        }
        render(&table)
    }
}

//! `adopt`: a mapping as the configuration has it, with its reasons and questions as comments.

use std::path::Path;

use serde::Serialize;

use super::printer::{Report, View, render};
use super::text::visible;
use crate::table::Literal;
use crate::table::adopt::{Candidate, ClockProposal, Line, Proposal, Shape};

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
}

#[derive(Debug, Serialize)]
struct StateReport {
    shape: &'static str,
    columns: Vec<String>,
    in_progress: Vec<Value>,
    completed: Vec<Value>,
    failed: Vec<Value>,
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
    knob: String,
    toml: String,
    active: bool,
    reason: String,
}

#[derive(Debug, Serialize)]
struct QuestionReport {
    about: &'static str,
    knob: String,
    question: String,
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
                state: StateReport::from(&proposal.shape),
                clocks: proposal.clocks.iter().map(ClockReport::from).collect(),
            }),
            lines: lines.map(LineReport::from).collect(),
            questions: proposal
                .questions()
                .map(|(line, question)| QuestionReport {
                    about: question.about,
                    knob: line.knob.clone(),
                    question: question.text.clone(),
                })
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

impl From<&Shape> for StateReport {
    fn from(shape: &Shape) -> Self {
        let bare = |shape: &'static str, columns: &[String]| Self {
            shape,
            columns: columns.to_vec(),
            in_progress: Vec::new(),
            completed: Vec::new(),
            failed: Vec::new(),
        };
        let values = |values: &[Literal]| values.iter().map(Value::from).collect();
        match shape {
            Shape::Column { column, in_progress, completed, failed } => Self {
                in_progress: values(in_progress),
                completed: values(completed),
                failed: values(failed),
                ..bare("column", std::slice::from_ref(column))
            },
            Shape::Null(columns) => bare("null", columns),
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
            knob: line.knob.clone(),
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
                comment(&mut out, "# ?", &format!("{}: {}", question.about, question.text));
            }
            if !line.active {
                out.push('#');
            }
            out.push_str(&line.toml);
            out.push('\n');
        }
    }
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

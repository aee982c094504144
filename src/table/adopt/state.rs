//! How a row says that its work is done.

use super::clocks::Moments;
use super::facts::{ColumnFacts, Occurrence, Samples, TableFacts};
use super::key::KeyProposal;
use super::values;
use super::words::{self, Answer, Moment};
use super::{Question, names};
use crate::protocol::Status;
use crate::table::{Family, Literal};

/// The shape, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A column's values.
    Column { column: String, in_progress: Vec<Literal>, completed: Vec<Literal>, failed: Vec<Literal> },
    /// NULL in all of them is in progress.
    Null(Vec<String>),
    /// A row that exists is done.
    Always,
    /// It can't be known; perhaps one of these.
    Ask(Vec<String>),
}

/// The state, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StateProposal {
    pub(crate) shape: Shape,
    /// The values are all that the column can hold.
    pub(crate) closed: bool,
    /// Values whose meaning is not clear.
    pub(crate) unclear: Vec<Literal>,
    /// Whether "a row that exists is done" is beyond doubt.
    pub(crate) doubtful: bool,
    pub(crate) why: String,
    pub(crate) questions: Vec<Question>,
    /// A number that turned out to be the answer's status.
    pub(crate) answer_status: Option<String>,
}

impl StateProposal {
    fn new(shape: Shape, why: impl Into<String>) -> Self {
        Self {
            shape,
            closed: false,
            unclear: Vec::new(),
            doubtful: false,
            why: why.into(),
            questions: Vec::new(),
            answer_status: None,
        }
    }

    fn ask(mut self, about: &'static str, text: impl Into<String>) -> Self {
        self.questions.push(Question::new(about, text));
        self
    }

    /// Whether rows can be in progress, as far as anybody knows.
    pub(crate) fn can_be_in_progress(&self) -> bool {
        !matches!(self.shape, Shape::Always) || self.doubtful
    }
}

/// The columns whose values answer a question.
pub(crate) fn wanted(table: &TableFacts, moments: &Moments) -> Vec<String> {
    let is_open = |column: &&ColumnFacts| {
        let says = words::is_state(&column.name)
            || words::is_step(&column.name)
            || values::default(column).is_some_and(|value| meaning(&value).is_some());
        says && moments.of(&column.name).is_none() && values::closed(column, table).is_none()
    };
    table.columns.iter().filter(is_open).map(|column| column.name.clone()).collect()
}

fn meaning(value: &Literal) -> Option<Status> {
    match value {
        Literal::Text(text) => words::state_value(text),
        _ => None,
    }
}

/// The values that occur, in the column's own type. What is longer than a state ever is was cut.
fn occurring(column: &ColumnFacts, seen: &[Occurrence]) -> Vec<Literal> {
    let literal = |seen: &Occurrence| match column.family {
        Family::Integer => seen.text.parse().ok().map(Literal::Int),
        Family::Boolean => None,
        _ if seen.text.contains('\0') || seen.text.chars().count() >= super::SAMPLE_CHARACTERS => None,
        _ => Some(Literal::Text(seen.text.clone())),
    };
    seen.iter().filter_map(literal).collect()
}

/// All values that are known, and whether there can be others.
fn known(column: &ColumnFacts, table: &TableFacts, samples: &Samples) -> (Vec<Literal>, bool) {
    if let Some(values) = values::closed(column, table) {
        return (values, true);
    }
    let mut values: Vec<Literal> = values::default(column).into_iter().collect();
    for value in occurring(column, samples.of(&column.name)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    (values, false)
}

fn of_column(column: &ColumnFacts, table: &TableFacts, samples: &Samples, why: &str) -> StateProposal {
    let (values, closed) = known(column, table, samples);
    // Of values that differ in their case alone the rarer ones are somebody's mistake, and nobody knows what
    // they mean.
    let folded = |value: &Literal| match value {
        Literal::Text(text) => text.to_lowercase(),
        other => other.to_string(),
    };
    let (clear, unclear): (Vec<_>, Vec<_>) = values.iter().enumerate().partition(|(place, value)| {
        let earlier = values[..*place].iter().any(|other| folded(other) == folded(value));
        meaning(value).is_some() && (closed || !earlier)
    });
    let unclear: Vec<Literal> = unclear.into_iter().map(|(_, value)| value.clone()).collect();
    let of = |status: Status| -> Vec<Literal> {
        let values = clear.iter().filter(|(_, value)| meaning(value) == Some(status));
        values.map(|(_, value)| (*value).clone()).collect()
    };
    let failed = of(Status::Failed);
    let mut state = StateProposal::new(
        Shape::Column {
            column: column.name.clone(),
            in_progress: of(Status::InProgress),
            completed: of(Status::Completed),
            failed: failed.clone(),
        },
        why,
    );
    if !closed {
        state = state.ask(
            "state.values",
            format!("nothing lists the values of {}: which are there, and what does each mean?", column.name),
        );
        if failed.is_empty() {
            state = state.ask("state.failed", "which values mean that the work failed, if any?");
        }
    } else if !unclear.is_empty() {
        state = state.ask("state.values", format!("what do these values of {} mean?", column.name));
    }
    if !column.not_null {
        state = state.ask(
            "state.values",
            format!("what does NULL in {} mean (null = \"in_progress\", or another state)?", column.name),
        );
    }
    state.closed = closed;
    state.unclear = unclear;
    state
}

fn of_flag(column: &ColumnFacts, means: Status) -> StateProposal {
    let (yes, no) = (vec![Literal::Bool(true)], vec![Literal::Bool(false)]);
    let (in_progress, completed) = match means {
        Status::InProgress => (yes, Vec::new()),
        _ => (no, yes),
    };
    StateProposal::new(
        Shape::Column { column: column.name.clone(), in_progress, completed, failed: Vec::new() },
        "a flag whose name says what it means",
    )
    .ask("state.values", format!("does {} say whether the work is done?", column.name))
}

/// The parts of the answer that the table keeps.
pub(crate) fn answers<'t>(table: &'t TableFacts, key: &KeyProposal) -> Vec<(Answer, &'t ColumnFacts)> {
    let columns = table.columns.iter().filter(|column| !is_name(column, key));
    columns
        .filter_map(|column| {
            let answer = words::answer(&column.name, column.family == Family::Integer)?;
            Some((answer, column))
        })
        .collect()
}

fn is_name(column: &ColumnFacts, key: &KeyProposal) -> bool {
    key.key.contains(&column.name) || key.scope.contains(&column.name)
}

/// Finds it.
pub(crate) fn propose(
    table: &TableFacts,
    key: &KeyProposal,
    moments: &Moments,
    samples: &Samples,
) -> StateProposal {
    let free: Vec<&ColumnFacts> = table
        .columns
        .iter()
        .filter(|column| !is_name(column, key) && moments.of(&column.name).is_none() && !column.counted)
        .collect();
    // Values say more than names.
    let mut candidates: Vec<(u32, &ColumnFacts, &str)> = Vec::new();
    for column in free.iter().copied() {
        if !matches!(column.family, Family::Text | Family::Other | Family::Integer) {
            continue;
        }
        let named = words::is_state(&column.name);
        let (values, closed) = known(column, table, samples);
        let clear = values.iter().filter(|value| meaning(value).is_some()).count();
        let points = match (closed, named) {
            (true, true) if clear > 0 => 120,
            (true, false) if clear >= 2 && clear * 2 > values.len() => 100,
            (true, true) => 80,
            (false, true) if clear > 0 => 70,
            (false, true) if column.family != Family::Integer => 60,
            (false, false) if clear > 0 && clear == values.len() => 40,
            _ => continue,
        };
        let why = match (closed, named, clear > 0) {
            (true, true, true) => "its name says so, and all of its values are listed",
            (true, ..) => "all of its values are listed",
            (_, true, true) => "its name says so, and values that are states",
            (_, true, false) => "its name says so",
            _ => "its values are states",
        };
        candidates.push((points, column, why));
    }
    candidates.sort_by_key(|(points, ..)| std::cmp::Reverse(*points));
    match candidates.as_slice() {
        [(best, ..), (next, ..), ..] if best == next => {
            let equal = candidates.iter().filter(|(points, ..)| points == best);
            let columns: Vec<String> = equal.map(|(_, column, _)| column.name.clone()).collect();
            return ask(columns, "several columns look like one");
        }
        [(_, column, why), ..] => return of_column(column, table, samples, why),
        [] => {}
    }
    let flag = free.iter().filter(|column| column.family == Family::Boolean);
    if let Some((column, means)) = flag.filter_map(|column| Some((column, words::flag(&column.name)?))).next()
    {
        return of_flag(column, means);
    }
    let answers = answers(table, key);
    let open_status = answers.iter().find(|(part, column)| *part == Answer::Status && column.may_stay_null());
    // A default sets it when the row is made; NULL is what it becomes.
    let open_locks: Vec<String> = moments
        .columns(table, Moment::Locked)
        .into_iter()
        .filter(|column| !column.not_null)
        .map(|column| column.name.clone())
        .collect();
    let steps: Vec<String> =
        free.iter().filter(|column| words::is_step(&column.name)).map(|column| column.name.clone()).collect();
    if !steps.is_empty() {
        let status = open_status.map(|(_, column)| column.name.clone());
        let columns: Vec<String> = steps.iter().cloned().chain(status).chain(open_locks).collect();
        let mut state = ask(columns, "a column says how far the work came");
        for step in &steps {
            let seen: Vec<String> =
                samples.of(step).iter().map(|seen| format!("{:?}", seen.text)).take(12).collect();
            if !seen.is_empty() {
                state = state
                    .ask("state.values", format!("what do these values of {step} mean: {}?", names(&seen)));
            }
        }
        return state;
    }
    // A number called "status" is the answer's as often as the row's.
    let number = free.iter().find(|column| {
        column.family == Family::Integer
            && words::is_state(&column.name)
            && !answers.iter().any(|(part, _)| *part == Answer::Status)
    });
    if let Some(column) = number {
        let seen: Vec<i64> =
            samples.of(&column.name).iter().filter_map(|seen| seen.text.parse().ok()).collect();
        let is_http = !seen.is_empty() && seen.iter().all(|value| (100..600).contains(value));
        if !column.may_stay_null() && (seen.is_empty() || is_http) {
            let mut state = StateProposal::new(Shape::Always, "no column says that a row is unfinished").ask(
                "state",
                format!(
                    "is {} the answer's status, so that a row which exists is done? Or is it the row's state?",
                    column.name
                ),
            );
            state.doubtful = !is_http;
            state.answer_status = Some(column.name.clone());
            return state;
        }
        if is_http {
            let mut state =
                StateProposal::new(Shape::Null(vec![column.name.clone()]), "NULL until the work is done")
                    .ask("state.null", null_question(std::slice::from_ref(&column.name)));
            state.answer_status = Some(column.name.clone());
            return state;
        }
        return of_column(column, table, samples, "its name says so");
    }
    if let Some(column) =
        moments.columns(table, Moment::Finished).into_iter().find(|column| column.may_stay_null())
    {
        return StateProposal::new(
            Shape::Null(vec![column.name.clone()]),
            "when the work was done: NULL until then",
        );
    }
    if !answers.is_empty() {
        let open =
            |part: Answer| answers.iter().filter(move |(of, column)| *of == part && column.may_stay_null());
        let sealed = |part: Answer| answers.iter().any(|(of, column)| *of == part && !column.may_stay_null());
        let (status, headers, body) =
            (open(Answer::Status).next(), open(Answer::Headers).next(), open(Answer::Body));
        let body: Vec<&ColumnFacts> = body.map(|(_, column)| *column).collect();
        let columns: Vec<String> = match (status, headers) {
            (Some(_), Some(_)) if !body.is_empty() => {
                // The whole of an answer: it is written at once.
                answers
                    .iter()
                    .map(|(_, column)| column.name.clone())
                    .filter(|name| table.column(name).is_some_and(ColumnFacts::may_stay_null))
                    .collect()
            }
            (Some((_, status)), _) => vec![status.name.clone()],
            (None, _) if sealed(Answer::Status) || sealed(Answer::Body) => Vec::new(),
            (None, _) => body.iter().map(|column| column.name.clone()).collect(),
        };
        if columns.is_empty() {
            return StateProposal::new(Shape::Always, "a row can't be written without its answer");
        }
        let why = if columns.len() == 1 {
            "the answer, NULL until there is one"
        } else {
            "the parts of the answer, all NULL until there is one"
        };
        let question = null_question(&columns);
        return StateProposal::new(Shape::Null(columns), why).ask("state.null", question);
    }
    let outcome: Vec<String> = free
        .iter()
        .filter(|column| column.may_stay_null() && !words::is_of_request(&column.name))
        .filter(|column| {
            !words::is_owner(&column.name) && !words::is_failure(&column.name) && !words::is_ttl(&column.name)
        })
        .filter(|column| !is_owner_reference(&column.name) && !words::is_claim_token(&column.name))
        .map(|column| column.name.clone())
        .collect();
    if !outcome.is_empty() {
        let question = null_question(&outcome);
        return StateProposal::new(Shape::Null(outcome), "what the request made: NULL until it is known")
            .ask("state.null", question);
    }
    let mut signs: Vec<String> = free
        .iter()
        .filter(|column| column.may_stay_null() && is_owner_reference(&column.name))
        .map(|column| column.name.clone())
        .collect();
    signs.extend(open_locks);
    if !signs.is_empty() {
        return ask(signs, "a row can be held, and nothing says that it is done");
    }
    StateProposal::new(Shape::Always, "no column could say that a row is unfinished")
}

/// `claimed_by_external_id`, and the like.
fn is_owner_reference(name: &str) -> bool {
    words::is_owner(name)
}

fn null_question(columns: &[String]) -> String {
    let what = if columns.len() == 1 { "NULL there" } else { "NULL in all of them" };
    format!(
        "does {what} mean that the work is in progress, or is it a finished row without an answer ({})?",
        names(columns)
    )
}

fn ask(columns: Vec<String>, why: &str) -> StateProposal {
    let text = format!("how does a row say that its work is done? Perhaps by {}", names(&columns));
    StateProposal::new(Shape::Ask(columns), why)
        .ask("state", text)
        .ask("state.values", "which values of that column mean in progress, completed and failed?")
}

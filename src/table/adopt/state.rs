//! How a row says that its work is done.

use super::explain::{Context, Explanation, Suspect};
use super::facts::CatalogueColumn;
use super::look::{Occurrence, Samples};
use super::questions::{self, RuleAnswer, ValueMeaning};
use super::roles::Role;
use super::values;
use super::words::{self, AnswerPart, Moment};
use crate::protocol::Status;
use crate::table::{Family, Literal};

/// The shape, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A column's values.
    Column(StateValues),
    /// NULL in all of them is in progress.
    Null(Vec<String>),
    /// A value in one of the columns that mark it is in progress, and nothing else says so.
    Set,
    /// A row that exists is done.
    Always,
    /// It can't be known; perhaps one of these.
    Ask(Vec<String>),
}

/// A column whose values are states.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct StateValues {
    pub(crate) column: String,
    pub(crate) in_progress: Vec<Literal>,
    pub(crate) completed: Vec<Literal>,
    pub(crate) failed: Vec<Literal>,
    pub(crate) keep: Vec<Literal>,
    /// What NULL means.
    pub(crate) null: Option<ValueMeaning>,
    /// All values that are known, in their order.
    pub(crate) known: Vec<Literal>,
    /// The values are all that the column can hold.
    pub(crate) closed: bool,
    /// Values whose meaning is not clear; `None` is NULL.
    pub(crate) unclear: Vec<Option<Literal>>,
    /// Whether the values have to be asked about.
    pub(crate) ask: bool,
}

/// The state, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StateProposal {
    pub(crate) shape: Shape,
    pub(crate) why: String,
    /// Whether a NULL may also be a finished row.
    pub(crate) ask_null: bool,
    /// Columns that mark a row as in progress while they are set, whatever else it says, and which values in them
    /// are none.
    pub(crate) marks: Vec<(String, Vec<Literal>)>,
    /// Other columns that no rule explains, and nobody: each may say "unfinished" as well, or that a row stays.
    pub(crate) others: Vec<String>,
}

impl StateProposal {
    fn new(shape: Shape, why: impl Into<String>) -> Self {
        Self { shape, why: why.into(), ask_null: false, marks: Vec::new(), others: Vec::new() }
    }

    /// Whether rows can be in progress, as far as anybody knows.
    pub(crate) fn can_be_in_progress(&self) -> bool {
        self.shape != Shape::Always
    }

    /// Whether it is known.
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self.shape, Shape::Ask(_))
    }

    /// The columns that tell it.
    pub(crate) fn columns(&self) -> Vec<String> {
        let mut columns = match &self.shape {
            Shape::Column(values) => vec![values.column.clone()],
            Shape::Null(columns) => columns.clone(),
            Shape::Set | Shape::Always | Shape::Ask(_) => Vec::new(),
        };
        columns.extend(self.marks.iter().map(|(column, _)| column.clone()));
        columns
    }
}

/// So few rows say little of the values that there are.
const FEW_ROWS: usize = 5;

/// A value as it was written.
fn plain(value: &Literal) -> String {
    match value {
        Literal::Text(text) => text.clone(),
        other => super::toml::literal(other),
    }
}

fn meaning(value: &Literal) -> Option<Status> {
    match value {
        Literal::Text(text) => words::state_value(text),
        _ => None,
    }
}

/// The values that occur, in the column's own type. What is longer than a state ever is was cut.
fn occurring(column: &CatalogueColumn, seen: &[Occurrence]) -> Vec<Literal> {
    let literal = |seen: &Occurrence| {
        if seen.text.contains('\0') || seen.text.chars().count() >= super::SAMPLE_CHARACTERS {
            return None;
        }
        questions::literal(column, &seen.text)
    };
    seen.iter().filter_map(literal).collect()
}

/// All values that are known, and whether there can be others.
fn known(column: &CatalogueColumn, context: &Context<'_>) -> (Vec<Literal>, bool) {
    if let Some(values) = values::closed(column, context.table) {
        return (values, true);
    }
    if column.family == Family::Boolean {
        return (vec![Literal::Bool(false), Literal::Bool(true)], true);
    }
    let mut values: Vec<Literal> = values::default(column).into_iter().collect();
    for value in occurring(column, &context.samples.of(&column.name)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    (values, false)
}

/// A column by its values: what their names say, a framework, and answers over both.
fn of_column(column: &CatalogueColumn, context: &Context<'_>, why: &str) -> StateProposal {
    let (mut known, closed) = known(column, context);
    let answered = context.answers.values.get(&column.name);
    let mut given: Vec<(Option<Literal>, ValueMeaning)> = Vec::new();
    let preset = context.preset.and_then(|preset| preset.part(&column.name));
    for (text, meaning) in preset.map_or(&[][..], |part| part.values) {
        given.extend(questions::literal(column, text).map(|value| (Some(value), *meaning)));
    }
    for (text, meaning) in answered.into_iter().flatten() {
        let value = match text {
            Some(text) => match questions::literal(column, text) {
                Some(value) => Some(value),
                None => continue,
            },
            None => None,
        };
        given.retain(|(other, _)| *other != value);
        given.push((value, *meaning));
    }
    for (value, _) in &given {
        if let Some(value) = value
            && !known.contains(value)
        {
            known.push(value.clone());
        }
    }
    // What is written when the work has failed means that it has.
    if let Some(RuleAnswer::Set { set, .. }) = &context.answers.fail
        && let Some((_, value)) = set.iter().find(|(name, _)| *name == column.name)
        && let Some(value) = questions::literal(column, &plain(value))
        && !given.iter().any(|(other, _)| other.as_ref() == Some(&value))
    {
        if !known.contains(&value) {
            known.push(value.clone());
        }
        given.push((Some(value), ValueMeaning::Failed));
    }
    let folded = |value: &Literal| match value {
        Literal::Text(text) => text.to_lowercase(),
        other => other.to_string(),
    };
    let mut state = StateValues { column: column.name.clone(), closed, ..StateValues::default() };
    for (place, value) in known.iter().enumerate() {
        // Of values that differ in their case alone the rarer ones are somebody's mistake, and nobody knows what
        // they mean.
        let earlier = !closed && known[..place].iter().any(|other| folded(other) == folded(value));
        let said = given.iter().find(|(other, _)| other.as_ref() == Some(value)).map(|(_, meaning)| *meaning);
        let by_name = meaning(value).filter(|_| !earlier).map(|status| match status {
            Status::InProgress => ValueMeaning::InProgress,
            Status::Completed => ValueMeaning::Completed,
            Status::Failed => ValueMeaning::Failed,
        });
        match said.or(by_name) {
            Some(ValueMeaning::InProgress) => state.in_progress.push(value.clone()),
            Some(ValueMeaning::Completed) => state.completed.push(value.clone()),
            Some(ValueMeaning::Failed) => state.failed.push(value.clone()),
            Some(ValueMeaning::Keep) => state.keep.push(value.clone()),
            None => state.unclear.push(Some(value.clone())),
        }
    }
    state.null = given.iter().find(|(value, _)| value.is_none()).map(|(_, meaning)| *meaning);
    let looked = !context.samples.rows.is_empty();
    let may_be_null = !column.not_null && (!looked || context.samples.nulls(&column.name) > 0);
    if may_be_null && state.null.is_none() && answered.is_none() {
        state.unclear.push(None);
    }
    // An answer that leaves a value out leaves it alone on purpose.
    state.ask = answered.is_none()
        && (!state.unclear.is_empty()
            || preset.is_some_and(|part| part.more && context.samples.rows.is_empty())
            || preset.is_none() && !closed && (state.completed.is_empty() || state.in_progress.is_empty())
            // A handful of rows does not show all values that there can be.
            || preset.is_none() && !closed && context.samples.rows.len() < FEW_ROWS);
    state.known = known;
    StateProposal::new(Shape::Column(state), why)
}

/// The values of a column that is set while somebody works on a row which mean that nobody does.
fn unset(column: &CatalogueColumn, context: &Context<'_>) -> Vec<Literal> {
    if column.family == Family::Boolean {
        return Vec::new();
    }
    let said = context.answers.values.get(&column.name).into_iter().flatten();
    let said: Vec<Literal> = said
        .filter(|(_, meaning)| *meaning == ValueMeaning::Completed)
        .filter_map(|(text, _)| questions::literal(column, text.as_deref()?))
        .collect();
    if said.is_empty() { values::default(column).into_iter().collect() } else { said }
}

/// The parts of the answer that the table keeps.
pub(crate) fn answers<'t>(
    context: &Context<'t>,
    findings: &[Explanation],
) -> Vec<(AnswerPart, &'t CatalogueColumn)> {
    let part = |finding: &Explanation| {
        let answer = finding.roles.iter().find_map(|role| match role {
            Role::ResponseStatus => Some(AnswerPart::Status),
            Role::ResponseHeaders => Some(AnswerPart::Headers),
            Role::ResponseBody => Some(AnswerPart::Body),
            _ => None,
        })?;
        Some((answer, context.table.column(&finding.column)?))
    };
    findings.iter().filter_map(part).collect()
}

/// Whether a column tells two kinds of rows apart exactly as the other one is NULL in them or not.
fn agrees(samples: &Samples, column: &str, other: &str) -> bool {
    const FEW: usize = 20;
    let (cells, others) = (samples.cells(column), samples.cells(other));
    let (mut open, mut done) = (Vec::new(), Vec::new());
    for (cell, other) in cells.iter().zip(&others) {
        if other.is_none() { &mut open } else { &mut done }.push(*cell);
    }
    open.len() >= 3 && done.len() >= FEW && open.iter().all(|cell| !done.contains(cell))
}

/// Finds it, and what else may say it.
pub(crate) fn propose(context: &Context<'_>, findings: &[Explanation]) -> StateProposal {
    let mut state = find(context, findings);
    state.others = others(context, findings, &state);
    state
}

/// Columns beside the one that tells the state. Whoever was asked about the state was shown them; what a framework
/// has is known; a clock is asked about as one.
fn others(context: &Context<'_>, findings: &[Explanation], state: &StateProposal) -> Vec<String> {
    let told = state.columns();
    if told.is_empty() || context.answers.state || context.answers.others || context.preset.is_some() {
        return Vec::new();
    }
    let is_open = |finding: &&Explanation| {
        finding.roles.is_empty()
            && matches!(finding.suspect, Some(Suspect::Values | Suspect::Null))
            && !told.contains(&finding.column)
            && context.answers.roles(&finding.column).is_none()
            && !words::is_claim_token(&finding.column)
            // What it made is no state of its own.
            && !(finding.suspect == Some(Suspect::Null)
                && words::is_reference(&finding.column)
                && !words::is_of_work(&finding.column))
            && context.table.column(&finding.column).is_some_and(|column| !context.is_shown_clock(column))
    };
    findings.iter().filter(is_open).map(|finding| finding.column.clone()).collect()
}

fn find(context: &Context<'_>, findings: &[Explanation]) -> StateProposal {
    let table = context.table;
    let with = |role: Role| -> Vec<String> {
        let named = findings.iter().filter(|finding| finding.roles.contains(&role));
        named.map(|finding| finding.column.clone()).collect()
    };
    let said = "you said so";
    let by_whom = |column: &str| match (context.answers.roles(column), context.preset) {
        (None, Some(preset)) => format!("so in {}", preset.name),
        _ => said.to_owned(),
    };
    let marks: Vec<(String, Vec<Literal>)> = with(Role::SetMeans)
        .into_iter()
        .filter_map(|name| Some((unset(table.column(&name)?, context), name)))
        .map(|(unset, name)| (name, unset))
        .collect();
    let with_marks = |state: StateProposal| StateProposal { marks: marks.clone(), ..state };
    if let Some(column) = with(Role::State).first().and_then(|name| table.column(name)) {
        return with_marks(of_column(column, context, &by_whom(&column.name)));
    }
    let null = with(Role::NullMeans);
    if let Some(first) = null.first() {
        let why = by_whom(first);
        // What the rules take for such a sign is one beside it, unless the state itself was told.
        let mut all = match by_rules(context, findings).shape {
            Shape::Null(columns) if !context.answers.state => columns,
            _ => Vec::new(),
        };
        all.extend(null.into_iter().filter(|column| !all.contains(column)).collect::<Vec<_>>());
        return with_marks(StateProposal::new(Shape::Null(all), why));
    }
    if !marks.is_empty() {
        return with_marks(StateProposal::new(Shape::Set, said));
    }
    if context.answers.state {
        return StateProposal::new(Shape::Always, "a row that exists is done: you said so");
    }
    by_rules(context, findings)
}

/// Finds it where nobody said anything.
fn by_rules(context: &Context<'_>, findings: &[Explanation]) -> StateProposal {
    let table = context.table;
    let suspects: Vec<(&Explanation, &CatalogueColumn, Suspect)> = findings
        .iter()
        .filter_map(|finding| Some((finding, table.column(&finding.column)?, finding.suspect?)))
        .collect();
    let answers = answers(context, findings);
    // Values say more than names.
    let mut candidates: Vec<(u32, &CatalogueColumn, &str)> = Vec::new();
    for (finding, column, suspect) in &suspects {
        if !matches!(suspect, Suspect::Values | Suspect::Null)
            || !finding.roles.is_empty()
            || !matches!(column.family, Family::Text | Family::Other | Family::Integer)
            || column.is_time()
        {
            continue;
        }
        let named = words::is_state(&column.name);
        let (values, closed) = known(column, context);
        let clear = values.iter().filter(|value| meaning(value).is_some()).count();
        let has_answer_status = answers.iter().any(|(part, _)| *part == AnswerPart::Status);
        // What is the status of something else, and holds no state that is known, is in doubt.
        if named && !closed && clear == 0 && words::is_state_of_something(&column.name) {
            continue;
        }
        let points = match (closed, named) {
            (true, true) if clear > 0 => 120,
            (true, false) if clear >= 2 && clear * 2 > values.len() => 100,
            (true, true) => 80,
            (false, true) if clear > 0 => 70,
            (false, true) if column.family != Family::Integer => 60,
            // A number called "status" is the answer's as often as the row's.
            (false, true) if has_answer_status || !words::is_status(&column.name) => 60,
            (false, false) if clear > 0 && clear == values.len() => 40,
            _ => continue,
        };
        let why = match (closed, named, clear > 0) {
            (true, true, true) => "its name says so, and all of its values are listed",
            (true, ..) => "all of its values are listed, and they are states",
            (_, true, true) => "its name says so, and values that are states",
            (_, true, false) => "its name says so",
            _ => "its values are states",
        };
        candidates.push((points, column, why));
    }
    candidates.sort_by_key(|(points, ..)| std::cmp::Reverse(*points));
    let is_value = |finding: &Explanation, suspect: Suspect| {
        suspect == Suspect::Values
            && !finding.roles.contains(&Role::Attempt)
            && !finding.roles.contains(&Role::Owner)
            && !words::is_claim_token(&finding.column)
    };
    let others = |column: &str| {
        suspects.iter().any(|(finding, _, suspect)| {
            finding.column != column && is_value(finding, *suspect) && finding.roles.is_empty()
        })
    };
    match candidates.as_slice() {
        [(best, ..), (next, ..), ..] if best == next => {
            return ask(context, &suspects, "several columns look like it");
        }
        [(points, column, why), ..] => {
            // Whose status it is must be beyond doubt, where something else could be the row's.
            if (*points < 60 || !words::is_plain_state(&column.name) && *points < 100) && others(&column.name)
            {
                return ask(context, &suspects, "several columns may say it");
            }
            return of_column(column, context, why);
        }
        [] => {}
    }
    let flags: Vec<&(&Explanation, &CatalogueColumn, Suspect)> =
        suspects.iter().filter(|(finding, _, suspect)| is_value(finding, *suspect)).collect();
    if let [(_, column, _)] = flags.as_slice()
        && column.family == Family::Boolean
        && let Some(means) = words::flag(&column.name)
    {
        return of_flag(column, context, means);
    }
    // NULL says it, where no value of another column could say it better.
    let by_null = |columns: Vec<String>, why: &str, ask_null: bool| {
        let first = columns.first().cloned().unwrap_or_default();
        // A third value may say more than that.
        let says_more = |column: &str| context.samples.of(column).len() > 2;
        let open = flags.iter().any(|(finding, _, _)| {
            says_more(&finding.column) || !agrees(context.samples, &finding.column, &first)
        });
        if open {
            return ask(context, &suspects, "several columns may say it");
        }
        StateProposal { ask_null, ..StateProposal::new(Shape::Null(columns), why) }
    };
    let finished = suspects.iter().find(|(finding, column, suspect)| {
        finding.roles.contains(&Role::Finished) && *suspect == Suspect::Null && column.may_stay_null()
    });
    if let Some((finding, ..)) = finished {
        return by_null(vec![finding.column.clone()], "when the work was done: NULL until then", false);
    }
    let open: Vec<&(AnswerPart, &CatalogueColumn)> = answers
        .iter()
        .filter(|(_, column)| column.may_stay_null() && is_suspect(&suspects, column))
        .collect();
    let sealed =
        answers.iter().any(|(part, column)| *part != AnswerPart::Headers && !is_suspect(&suspects, column));
    let of =
        |wanted: AnswerPart| open.iter().filter(move |(part, _)| *part == wanted).map(|(_, column)| *column);
    let (status, headers, body) = (
        of(AnswerPart::Status).next(),
        of(AnswerPart::Headers).next(),
        of(AnswerPart::Body).collect::<Vec<_>>(),
    );
    let columns: Vec<String> = match (status, headers) {
        // The whole of an answer: it is written at once.
        (Some(_), Some(_)) if !body.is_empty() => {
            open.iter().map(|(_, column)| column.name.clone()).collect()
        }
        (Some(status), _) => vec![status.name.clone()],
        (None, _) if sealed => Vec::new(),
        (None, _) => body.iter().map(|column| column.name.clone()).collect(),
    };
    let steps = suspects.iter().any(|(finding, ..)| words::is_step(&finding.column));
    if !columns.is_empty() && !steps {
        let why = if columns.len() == 1 {
            "the answer, NULL until there is one"
        } else {
            "the parts of the answer, all NULL until there is one"
        };
        // An answer that is there has a status; a finished one without a body has NULL for it.
        let ask_null = !rows_settle_null(context, &columns);
        return by_null(columns, why, ask_null);
    }
    // Parts of an answer that is there as a whole, or not at all, are no other sign.
    let sealed_rest = |finding: &Explanation| {
        sealed && answers.iter().any(|(_, column)| column.name == finding.column && column.may_stay_null())
    };
    let rest: Vec<_> = suspects
        .iter()
        .filter(|(finding, _, suspect)| *suspect != Suspect::Clock && !sealed_rest(finding))
        .copied()
        .collect();
    if rest.is_empty() && rows_change(context) {
        return ask(context, &suspects, "rows are changed after they were made, and nothing says why");
    }
    if rest.is_empty() {
        let why = match sealed {
            true => "a row can't be written without its answer",
            false => "no column could say that a row is unfinished",
        };
        return StateProposal::new(Shape::Always, why);
    }
    ask(context, &rest, "nothing shows without doubt how a row says that its work is done")
}

/// Whether a clock of changes shows that rows are changed after they were made.
fn rows_change(context: &Context<'_>) -> bool {
    const AT_ONCE: i64 = 2_000_000;
    let created = context.chosen.created.as_ref().and_then(|name| context.table.column(name));
    let Some(made) = created.map(|column| context.samples.moments(column)) else { return false };
    context.moments.columns(context.table, Moment::Updated).into_iter().any(|column| {
        let changed = context.samples.moments(column);
        made.iter().zip(&changed).any(|(made, changed)| match (made, changed) {
            (Some(made), Some(changed)) => changed - made > AT_ONCE,
            _ => false,
        })
    })
}

fn is_suspect(suspects: &[(&Explanation, &CatalogueColumn, Suspect)], column: &CatalogueColumn) -> bool {
    suspects.iter().any(|(finding, ..)| finding.column == column.name)
}

/// Whether the rows looked at show that only young ones have NULL there: then it means in progress.
fn rows_settle_null(context: &Context<'_>, columns: &[String]) -> bool {
    const MANY: usize = 20;
    const OLD: i64 = 3_600_000_000;
    let created = context.chosen.created.as_ref().and_then(|name| context.table.column(name));
    let ages = context.samples.ages(created);
    let cells: Vec<_> = columns.iter().map(|column| context.samples.cells(column)).collect();
    let (mut old, mut old_open) = (0, 0);
    for (row, age) in ages.iter().enumerate() {
        if age.is_some_and(|age| age > OLD) {
            old += 1;
            old_open += usize::from(cells.iter().all(|cells| cells.get(row).is_some_and(Option::is_none)));
        }
    }
    old >= MANY && old_open == 0
}

fn of_flag(column: &CatalogueColumn, context: &Context<'_>, means: Status) -> StateProposal {
    let mut state = of_column(column, context, "a flag whose name says what it means");
    if let Shape::Column(values) = &mut state.shape
        && !context.answers.values.contains_key(&column.name)
    {
        let (yes, no) = (Literal::Bool(true), Literal::Bool(false));
        match means {
            Status::InProgress => values.in_progress = vec![yes],
            _ => {
                values.in_progress = vec![no];
                values.completed = vec![yes];
            }
        }
        values.ask = true;
    }
    state
}

/// Nothing is known: the columns that may say it, those that may do so most likely first.
fn ask(
    context: &Context<'_>,
    suspects: &[(&Explanation, &CatalogueColumn, Suspect)],
    why: &str,
) -> StateProposal {
    let has_status = suspects.iter().any(|(finding, ..)| finding.roles.contains(&Role::ResponseStatus));
    let rank = |finding: &Explanation, column: &CatalogueColumn, suspect: Suspect| -> Option<u32> {
        let is_lock = context.moments.of(&column.name) == Some(Moment::Locked);
        Some(match suspect {
            Suspect::Clock => return None,
            _ if words::is_step(&column.name) => 0,
            _ if words::is_state(&column.name) => 1,
            _ if finding.roles.contains(&Role::Attempt) || finding.roles.contains(&Role::Failure) => 8,
            Suspect::Kind => 9,
            _ if finding.roles.contains(&Role::ResponseStatus) => 3,
            _ if finding.roles.contains(&Role::ResponseHeaders)
                || finding.roles.contains(&Role::ResponseBody) =>
            {
                if has_status {
                    7
                } else {
                    4
                }
            }
            Suspect::Values => 2,
            Suspect::Null if is_lock => 5,
            Suspect::Null if finding.roles.contains(&Role::Alive) => 9,
            Suspect::Null => 6,
        })
    };
    let mut ranked: Vec<(u32, &str)> = suspects
        .iter()
        .filter_map(|(finding, column, suspect)| {
            Some((rank(finding, column, *suspect)?, column.name.as_str()))
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    // What has a part of its own is a candidate where nothing else is.
    let strong = ranked.iter().any(|(rank, _)| *rank < 7);
    let columns =
        ranked.iter().filter(|(rank, _)| *rank < 7 || !strong).map(|(_, name)| (*name).to_owned()).collect();
    StateProposal::new(Shape::Ask(columns), why)
}

//! Where nobody said how a row says that its work is done: what names, values and NULLs show.

use super::column::of_column;
use super::column::{known, meaning};

use super::{Shape, StateProposal, agrees, answers};
use crate::protocol::Status;
use crate::table::adopt::explain::{Context, Explanation, Suspect};
use crate::table::adopt::facts::CatalogueColumn;
use crate::table::adopt::roles::Role;
use crate::table::adopt::words::{self, AnswerPart, Moment};
use crate::table::{Family, Literal};

/// Finds it where nobody said anything.
pub(super) fn by_rules(context: &Context<'_>, findings: &[Explanation]) -> StateProposal {
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
pub(super) fn rows_change(context: &Context<'_>) -> bool {
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

pub(super) fn is_suspect(
    suspects: &[(&Explanation, &CatalogueColumn, Suspect)],
    column: &CatalogueColumn,
) -> bool {
    suspects.iter().any(|(finding, ..)| finding.column == column.name)
}

/// Whether the rows looked at show that only young ones have NULL there: then it means in progress.
pub(super) fn rows_settle_null(context: &Context<'_>, columns: &[String]) -> bool {
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

pub(super) fn of_flag(column: &CatalogueColumn, context: &Context<'_>, means: Status) -> StateProposal {
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
pub(super) fn ask(
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

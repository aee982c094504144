//! `idemctl adopt`

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;

use tokio::sync::mpsc;

use super::input_lines;
use crate::exit::{Exit, Failure};
use crate::output::{AdoptReport, Format, Printer, question_text};
use crate::settings::{AdoptSettings, mapping_of, named_table, read_answers};
use crate::store::{Dialect, Store};
use crate::table::adopt::{self, Answers, Candidate, CatalogueTable, Proposal, Question, Samples};
use crate::table::{Mapping, TableName};
use crate::words::{are, number_of};

/// Looks at the database and proposes a mapping.
pub(super) async fn adopt(
    store: &Store,
    settings: &AdoptSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let dialect = store.dialect();
    let tables = store.catalogue().await?;
    let candidates = adopt::rank(&tables, dialect);
    let table = match &settings.table {
        Some(name) => find(&tables, name, dialect)
            .ok_or_else(|| {
                Failure::new(Exit::NotReady, format!("{} has no table {name}", store.target()))
                    .hint("without --table, adopt lists the tables that look like an idempotency table; of a view, name the table that it reads")
            })?
            .clone(),
        None => match candidates.as_slice() {
            [] => return Err(nothing_found(store, &tables)),
            [one] => one.table.clone(),
            several => return several_found(several, printer),
        },
    };
    if adopt::is_own(&table) {
        return Err(Failure::new(
            Exit::Usage,
            format!("the table {} is idemctl's own, and needs no mapping", table.config_name()),
        ));
    }
    let answers = match &settings.answers {
        Some(text) => fitting(read_answers(text)?, &table, dialect)?,
        None => Answers::default(),
    };
    let samples = look(store, &table, settings, printer).await?;
    let mut proposal = propose(&table, dialect, &samples, &answers)?;
    if can_be_asked(settings, printer) {
        proposal = ask(&table, dialect, &samples, answers, proposal).await?;
    }
    let mut report = report(store, &proposal, &candidates).await?;
    if let Some(path) = &settings.write {
        write(path, report.configuration())?;
        report.written(path);
        printer.notice(&format!("written to {}", path.display()));
    }
    printer.report(&report)?;
    if let Some(partial) = proposal.partial {
        printer.notice(&format!("{partial}: what the rows show is shown by a part of them"));
    }
    let questions = report.questions();
    if questions > 0 {
        let (questions, are) = (number_of(questions as u64, "question"), are(questions as u64));
        printer.notice(&format!(
            "{questions} {are} open, each in a line that begins with \"# ?\"; until they are answered \
             the mapping is on the safe side. Answer them on a terminal, or with --answers FILE"
        ));
    }
    Ok(Exit::Done)
}

/// What is printed. It is what the checks at start will read.
async fn report(
    store: &Store,
    proposal: &Proposal,
    candidates: &[Candidate],
) -> Result<AdoptReport, Failure> {
    let report = AdoptReport::new(store.target(), proposal, candidates);
    store.with_mapping(mapping_of(report.configuration())?).await?;
    Ok(report)
}

/// `adopt --table NAME --answers FILE -o json` without a process of its own, for tests that ask of thousands of
/// tables.
///
/// # Errors
/// What would be said on standard error.
#[doc(hidden)]
pub async fn adopt_in_process(
    store: &Store,
    table: &str,
    answers: &str,
) -> Result<serde_json::Value, String> {
    let said = |failure: Failure| failure.chain().join(": ");
    let name = named_table(table).map_err(said)?;
    let dialect = store.dialect();
    let tables = store.catalogue().await.map_err(|error| error.chain())?;
    let found = find(&tables, &name, dialect).ok_or_else(|| format!("there is no table {name}"))?;
    let answers = read_answers(answers).and_then(|answers| fitting(answers, found, dialect)).map_err(said)?;
    let samples = store.look_at(found).await.map_err(|error| error.chain())?;
    let proposal = propose(found, dialect, &samples, &answers).map_err(said)?;
    let report = report(store, &proposal, &adopt::rank(&tables, dialect)).await.map_err(said)?;
    serde_json::to_value(&report).map_err(|error| error.to_string())
}

/// The mapping that a configuration with one `[[table]]` describes, for the same tests.
///
/// # Errors
/// What would be said on standard error.
#[doc(hidden)]
pub fn mapping_in_process(configuration: &str) -> Result<Mapping, String> {
    mapping_of(configuration).map_err(|failure| failure.chain().join(": "))
}

fn propose(
    table: &CatalogueTable,
    dialect: Dialect,
    samples: &Samples,
    answers: &Answers,
) -> Result<Proposal, Failure> {
    adopt::propose(table, dialect, samples, answers).ok_or_else(|| {
        Failure::new(
            Exit::NotReady,
            format!("nothing in the table {} could be an idempotency key", table.config_name()),
        )
        .hint("a key is a column that a unique key covers, or one that is named like a key")
    })
}

/// The answers, once they are known to fit the table.
fn fitting(answers: Answers, table: &CatalogueTable, dialect: Dialect) -> Result<Answers, Failure> {
    answers.fit(table, dialect.folds_names()).map_err(|misfit| {
        Failure::new(
            Exit::NotReady,
            format!("the answer {} does not fit the table: {}", misfit.id, misfit.why),
        )
    })
}

/// Looks at some rows, and again after a while where that was asked for.
async fn look(
    store: &Store,
    table: &CatalogueTable,
    settings: &AdoptSettings,
    printer: &Printer,
) -> Result<Samples, Failure> {
    let first = store.look_at(table).await?;
    let Some(after) = settings.watch else { return Ok(first) };
    printer.notice(&format!("looking again in {}", crate::words::duration(after)));
    tokio::time::sleep(after).await;
    let later = store.look_at(table).await?;
    let name =
        table.uniques.iter().find_map(|unique| unique.columns.iter().cloned().collect::<Option<Vec<_>>>());
    Ok(match name {
        Some(name) => first.watched(&later, after, &name),
        None => first,
    })
}

/// Whether somebody sits there.
fn can_be_asked(settings: &AdoptSettings, printer: &Printer) -> bool {
    settings.answers.is_none()
        && printer.format() == Format::Table
        && io::stdin().is_terminal()
        && io::stderr().is_terminal()
}

/// Asks the questions one by one. An answer is checked at once, and may make other questions.
async fn ask(
    table: &CatalogueTable,
    dialect: Dialect,
    samples: &Samples,
    mut answers: Answers,
    mut proposal: Proposal,
) -> Result<Proposal, Failure> {
    let mut lines = input_lines();
    let mut left = BTreeSet::new();
    loop {
        let next =
            proposal.questions().map(|(_, question)| question).find(|question| !left.contains(&question.id));
        let Some(question) = next.cloned() else { return Ok(proposal) };
        match ask_one(&question, &mut lines).await? {
            None => {
                left.insert(question.id);
            }
            Some(text) => {
                let given = read_answers(&text).and_then(|given| fitting(given, table, dialect));
                let mut with = answers.clone();
                let checked = given.and_then(|given| {
                    with.add(given);
                    propose(table, dialect, samples, &with)
                });
                match checked {
                    Ok(better) => {
                        let is_open = better
                            .questions()
                            .any(|(_, other)| other.id == question.id && *other == question);
                        if is_open {
                            // It was answered, and nothing came of it: once is enough.
                            left.insert(question.id);
                        }
                        answers = with;
                        proposal = better;
                    }
                    Err(failure) => {
                        let mut err = io::stderr().lock();
                        let _ = writeln!(err, "{failure}");
                    }
                }
            }
        }
    }
}

/// One question; the answer as a line of an answers file, `None` where it is left open.
async fn ask_one(
    question: &Question,
    lines: &mut mpsc::Receiver<io::Result<String>>,
) -> Result<Option<String>, Failure> {
    loop {
        {
            let mut err = io::stderr().lock();
            let asked = write!(err, "{}", question_text(question)).and_then(|()| err.flush());
            asked.map_err(|error| Failure::new(Exit::Failed, "can't ask").because(error))?;
        }
        let Some(Ok(line)) = lines.recv().await else { return Ok(None) };
        match answer(question, line.trim()) {
            Ok(answer) => return Ok(answer),
            Err(wrong) => {
                let mut err = io::stderr().lock();
                let _ = writeln!(err, "{wrong}");
            }
        }
    }
}

/// What was typed as an answer: a number of the options, an answer as a file has it, or only what follows its
/// equals sign.
fn answer(question: &Question, line: &str) -> Result<Option<String>, String> {
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(number) = line.parse::<usize>() {
        let option = number.checked_sub(1).and_then(|place| question.options.get(place));
        return option
            .map(|option| Some(option.answer.clone()))
            .ok_or_else(|| format!("there is no option {number}"));
    }
    if line.contains('=') && !line.starts_with('{') {
        return Ok(Some(line.to_owned()));
    }
    let id = match question.id.split_once('.') {
        Some((group, column)) => format!("{group}.{}", adopt::quoted_key(column)),
        None => question.id.clone(),
    };
    let bare = line.starts_with(['{', '[', '"']) || matches!(line, "true" | "false");
    Ok(Some(if bare { format!("{id} = {line}") } else { format!("{id} = {}", adopt::quoted(line)) }))
}

/// The table of this name, as the database itself would find it.
fn find<'t>(tables: &'t [CatalogueTable], name: &TableName, dialect: Dialect) -> Option<&'t CatalogueTable> {
    let same = |one: &str, other: &str| match dialect {
        Dialect::Sqlite => one.eq_ignore_ascii_case(other),
        Dialect::Postgres => one == other,
    };
    let mut found = tables.iter().filter(|table| {
        let in_schema = match (&name.schema, &table.schema) {
            (Some(wanted), Some(schema)) => same(schema, wanted.as_str()),
            (Some(wanted), None) => same("main", wanted.as_str()),
            (None, _) => table.visible,
        };
        in_schema && same(&table.name, name.name.as_str())
    });
    found.next()
}

fn nothing_found(store: &Store, tables: &[CatalogueTable]) -> Failure {
    let failure = Failure::new(
        Exit::NotReady,
        format!("no table of {} looks like an idempotency table", store.target()),
    );
    if tables.iter().any(adopt::is_own) {
        return failure.hint("idemctl's own tables are there; they need no mapping");
    }
    failure.hint("name one with --table NAME; or, for a new one, run `idemctl migrate`")
}

fn several_found(candidates: &[Candidate], printer: &Printer) -> Result<Exit, Failure> {
    printer.report(&AdoptReport::undecided(candidates))?;
    Err(Failure::new(Exit::Usage, format!("{} tables look like an idempotency table", candidates.len()))
        .hint("name one with --table NAME"))
}

/// Makes the file; never over another one.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
        let is_there = error.kind() == ErrorKind::AlreadyExists;
        let exit = if is_there { Exit::Refused } else { Exit::Failed };
        let failure = Failure::new(exit, format!("can't write {}", path.display())).because(error);
        if is_there {
            failure.hint("an existing file is never overwritten: name another one")
        } else {
            failure
        }
    })?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(|error| Failure::new(Exit::Failed, format!("can't write {}", path.display())).because(error))
}

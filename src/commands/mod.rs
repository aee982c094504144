//! One file per verb: settings and a store in, a report and an exit code out.

mod adopt;
mod audit;
mod config;
mod confirm;
mod demo;
mod doctor;
mod inspect;
mod janitor;
mod list;
mod log;
mod migrate;
mod open;
mod operate;
mod pause;
mod purge;
mod reap;
mod replay;
mod run;
mod signals;
mod stats;

use std::env;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::error::ErrorKind as ClapError;
use clap::{CommandFactory as _, Parser as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[doc(hidden)]
pub use adopt::{adopt_in_process, mapping_in_process};
pub use janitor::{METRICS, MetricReference};

use crate::cli::{Cli, ColorChoice, Command, GlobalArgs};
use crate::exit::{Exit, Failure};
use crate::output::{Format, Printer};
use crate::settings::{OperateSettings, Settings};
use crate::store::{Actor, Operation, RowChange, Store, looks_like_url, masked};
use log::{mask_panics, start_log};
use open::{
    Access, announce, connect, database, make_default_folder, one_connection, open, refuse_missing_default,
    tell_ignored,
};

/// Runs the program.
pub fn main() -> ExitCode {
    mask_panics();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            print_parse_error(&error);
            return match error.kind() {
                ClapError::DisplayHelp | ClapError::DisplayVersion => Exit::Done,
                _ if is_run() => Exit::Code(run::OTHER),
                _ => Exit::Usage,
            }
            .into();
        }
    };
    start_log(&cli.global);
    let is_run = matches!(cli.command, Command::Run(_));
    // One thread: the program waits for one database, and a child told of its parent's death is
    // told of this thread's.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&Failure::new(Exit::Failed, "can't start").because(error), is_run),
    };
    let code = match runtime.block_on(dispatch(cli)) {
        Ok(exit) => exit.into(),
        Err(failure) => fail(&failure, is_run),
    };
    // A thread that reads a terminal, or writes to a reader that takes nothing, is not waited for.
    runtime.shutdown_background();
    code
}

/// Whether the arguments name `run`, for errors that come while they are parsed. The parser itself
/// has to say: what comes before the verb may be a global option's value.
fn is_run() -> bool {
    use clap::CommandFactory as _;
    let matches = Cli::command().ignore_errors(true).try_get_matches().ok();
    match matches.as_ref().and_then(|matches| matches.subcommand_name()) {
        Some(verb) => verb == "run",
        // It gave up before the verb.
        None => {
            env::args_os().skip(1).find(|text| !text.to_string_lossy().starts_with('-')) == Some("run".into())
        }
    }
}

async fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    let settings = Settings::resolve(&cli.global)?;
    let printer = printer(&cli.global, &settings)?;
    // Before anything is changed: a report that can't be printed is no reason to hear too late.
    if printer.format() == Format::Csv && !matches!(cli.command, Command::List(_) | Command::Run(_)) {
        return Err(Failure::new(Exit::Usage, "only `list` can print comma-separated values")
            .hint("use -o json or -o jsonl"));
    }
    match cli.command {
        Command::Migrate(args) => {
            let migrate = settings.migrate(&args);
            let stop = stop_on_signal();
            // From the moment on at which it may hold a lease it minds the signal itself.
            let work = migrate::migrate(&settings, &migrate, &printer, &stop);
            work.await.map_err(|failure| match failure.exit {
                Exit::Interrupted => {
                    failure.hint("what was applied stays; `idemctl migrate` goes on where it ended")
                }
                _ => failure,
            })
        }
        Command::Adopt(args) => {
            let adopt = settings.adopt(&args)?;
            let target = database(&settings, &printer)?;
            refuse_missing_default(&target)?;
            let store = Store::open(&target.url, one_connection(&target)).await?;
            unless_stopped(&stop_on_signal(), adopt::adopt(&store, &adopt, &printer)).await
        }
        Command::Inspect(args) => {
            let inspect = settings.inspect(&args)?;
            // It checks the schema itself, in the transaction that it reads in.
            let work =
                async { inspect::inspect(&connect(&settings, &printer).await?, &inspect, &printer).await };
            unless_stopped(&stop_on_signal(), work).await
        }
        Command::List(args) => {
            let list = settings.list(&args)?;
            let stop = stop_on_signal();
            let store = unless_stopped(&stop, open(&settings, &printer, Access::Read)).await?;
            list::list(&store, &list, &printer, &stop).await
        }
        Command::Stats(args) => {
            let stats = settings.stats(&args)?;
            let work = async {
                stats::stats(&open(&settings, &printer, Access::Read).await?, &stats, &printer).await
            };
            unless_stopped(&stop_on_signal(), work).await
        }
        Command::Replay(args) => {
            let replay = settings.replay(&args)?;
            let work = async {
                replay::replay(&open(&settings, &printer, Access::Read).await?, &replay, &printer).await
            };
            unless_stopped(&stop_on_signal(), work).await
        }
        Command::Release(args) => {
            operate(&settings, &printer, settings.release(&args)?, "releasing in").await
        }
        Command::Fail(args) => operate(&settings, &printer, settings.fail(&args)?, "failing in").await,
        Command::Forget(args) => operate(&settings, &printer, settings.forget(&args)?, "forgetting in").await,
        Command::Audit(args) => {
            let audit = settings.audit(&args)?;
            let work = async {
                audit::audit(&open(&settings, &printer, Access::Read).await?, &audit, &printer).await
            };
            unless_stopped(&stop_on_signal(), work).await
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "idemctl", &mut script);
            printer.write(&String::from_utf8_lossy(&script))?;
            Ok(Exit::Done)
        }
        Command::ReapStuck(args) => {
            let reap = settings.reap(&args)?;
            let access =
                if reap.dry_run { Access::Read } else { Access::Write("reaping in", &[RowChange::Reap]) };
            let store = open(&settings, &printer, access).await?;
            reap::reap(&store, &reap, &printer, &stop_on_signal()).await
        }
        Command::Purge(args) => {
            let purge = settings.purge(&args)?;
            let access =
                if purge.dry_run { Access::Read } else { Access::Write("purging", &[RowChange::Purge]) };
            let store = open(&settings, &printer, access).await?;
            purge::purge(&store, &purge, &printer, &stop_on_signal()).await
        }
        Command::Janitor(args) => {
            janitor::janitor(&cli.global, &args, &settings.janitor(&args)?, &printer).await
        }
        Command::Doctor(_) => {
            let doctor = settings.doctor(cli.global.verbose > 0)?;
            tell_ignored(&doctor.target, &printer);
            refuse_missing_default(&doctor.target)?;
            unless_stopped(&stop_on_signal(), doctor::doctor(&doctor, &printer)).await
        }
        Command::Pause(args) => {
            let pause = settings.pause(&args)?;
            let store = open(&settings, &printer, Access::Write("pausing the janitors of", &[])).await?;
            pause::pause(&store, &pause, &printer).await
        }
        Command::Resume(args) => {
            let store = open(&settings, &printer, Access::Write("resuming the janitors of", &[])).await?;
            pause::resume(&store, args.reason.as_deref(), &printer).await
        }
        Command::Run(args) => run::run(&settings, &settings.run(&args)?, &printer).await,
        Command::Config(crate::cli::ConfigCommand::Show) => config::show(&settings, &printer),
        Command::Demo => demo::demo(&printer).await,
    }
}

async fn operate(
    settings: &Settings,
    printer: &Printer,
    operate: OperateSettings,
    verb: &'static str,
) -> Result<Exit, Failure> {
    let works: &'static [RowChange] = match operate.operation {
        Operation::Fail { .. } => &[RowChange::Fail],
        Operation::Release => &[RowChange::Release],
        Operation::Forget => &[RowChange::Forget],
    };
    let access = if operate.dry_run { Access::Read } else { Access::Write(verb, works) };
    let stop = stop_on_signal();
    let store =
        unless_stopped(&stop, open(settings, printer, access)).await.map_err(operate::nothing_changed)?;
    operate::operate(&store, &operate, printer, &stop).await
}

/// Says what failed, why, and what to do next.
fn fail(failure: &Failure, is_run: bool) -> ExitCode {
    use crate::output::visible;
    let chain: Vec<String> = failure.chain().iter().map(|line| without_url_arguments(line)).collect();
    let mut lines = chain.iter().map(|line| visible(line));
    eprint_line(&format!("idemctl: {}", lines.next().unwrap_or_default()));
    for cause in lines {
        eprint_line(&format!("  because: {cause}"));
    }
    if let Some(hint) = failure.hint_text() {
        eprint_line(&format!("  next: {}", visible(hint)));
    }
    if is_run { run::exit_of(failure).into() } else { failure.exit.into() }
}

/// The parser repeats the argument that it does not take; where that is a URL, only the rest is printed.
fn print_parse_error(error: &clap::Error) {
    let text = error.to_string();
    let hidden = without_url_arguments(&text);
    if hidden == text {
        let _ = error.print();
    } else {
        eprint_line(hidden.trim_end());
    }
}

/// A URL that was given where none belongs may hold a password that nobody can tell from the rest.
fn without_url_arguments(text: &str) -> String {
    let mut text = text.to_owned();
    for argument in env::args_os().skip(1) {
        let argument = argument.to_string_lossy();
        let value = match argument.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => value,
            _ => &argument,
        };
        if looks_like_url(value) && may_hold_password(value) {
            text = text.replace(value, "…").replace(&value.escape_debug().to_string(), "…");
        }
    }
    masked(&text).into_owned()
}

fn may_hold_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let after_colon = rest.split_once(':').map(|(_, after)| after);
    let is_port = |after: &str| after.starts_with(|c: char| c.is_ascii_digit()) && !after.contains('@');
    after_colon.is_some_and(|after| !is_port(after)) || ["pass", "pwd"].iter().any(|word| url.contains(word))
}

/// `eprintln!` panics when stderr is closed.
fn eprint_line(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(io::stderr().lock(), "{}", masked(line));
}

fn colors(choice: ColorChoice, is_terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

fn printer(global: &GlobalArgs, settings: &Settings) -> Result<Printer, Failure> {
    let display = &settings.config().display;
    let format = match display.output.as_str() {
        "table" => Format::Table,
        "json" => Format::Json,
        "jsonl" => Format::Jsonl,
        "csv" => Format::Csv,
        other => {
            return Err(Failure::new(Exit::Usage, format!("display.output is {other:?}"))
                .hint("it can be table, json, jsonl or csv"));
        }
    };
    let zone = crate::output::Zone::parse(&display.time_zone).ok_or_else(|| {
        Failure::new(Exit::Usage, format!("there is no time zone {:?}", display.time_zone))
            .hint("name one like Europe/Berlin, or local")
    })?;
    Ok(Printer::new(format, zone, colors(global.color, io::stdout().is_terminal()), global.quiet))
}

/// Who we are, for the audit.
fn actor(command: &str, reason: Option<&str>) -> Actor {
    Actor {
        command: command.to_owned(),
        user: whoami::username().ok(),
        host: whoami::hostname().ok(),
        reason: reason.map(str::to_owned),
    }
}

/// The first SIGINT or SIGTERM ends the command after the batch at hand, a second one at once: also where
/// this thread waits for a reader that takes nothing.
fn stop_on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let mut signals = signals::Signals::of_two(&[libc::SIGINT, libc::SIGTERM], Exit::Interrupted);
    let stopping = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        stopping.cancel();
    });
    stop
}

/// Does something that a signal may end at any point.
async fn unless_stopped<T>(
    stop: &CancellationToken,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::select! {
        biased;
        done = work => done,
        () = stop.cancelled() => Err(Failure::new(Exit::Interrupted, "interrupted")),
    }
}

/// The lines of the standard input as they come. A thread of its own reads them: one that waits for a person
/// hears no signal.
fn input_lines() -> mpsc::Receiver<io::Result<String>> {
    use std::io::BufRead as _;
    let (send, receive) = mpsc::channel(64);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if send.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receive
}

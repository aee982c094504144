//! The log on stderr: text or JSON, with secrets masked.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use super::{colors, eprint_line};
use crate::cli::{GlobalArgs, LogFormat};
use crate::store::masked;

pub(super) fn start_log(global: &GlobalArgs) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        // What the driver warns of (slow statements with their SQL, dead connections that are replaced) is
        // for those who ask for more; what it means for the command is said in our words.
        (false, 0) => "warn,sqlx=error,idemctl=info",
        (false, 1) => "info,idemctl=debug",
        (false, _) => "trace",
    };
    let is_json = global.log_format == LogFormat::Json;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(level))
        .with_writer(move || LogWriter { is_json })
        // It would complain about a stderr that can't be written on stderr, and panic over that.
        .log_internal_errors(false)
        .with_ansi(colors(global.color, io::stderr().is_terminal()));
    match global.log_format {
        LogFormat::Text => subscriber.with_target(false).fmt_fields(one_line_fields()).init(),
        LogFormat::Json => subscriber.json().init(),
    }
}

/// The fields of an event for people: whatever a server's message or a key holds, an event is one line, and
/// moves no cursor.
pub(super) fn one_line_fields()
-> impl for<'w> tracing_subscriber::fmt::FormatFields<'w> + Send + Sync + 'static {
    use tracing_subscriber::field::MakeExt as _;
    let format = tracing_subscriber::fmt::format::debug_fn(|writer, field, value| {
        let text = crate::output::visible(&format!("{value:?}"));
        match field.name() {
            "message" => write!(writer, "{text}"),
            name => write!(writer, "{name}={text}"),
        }
    });
    format.delimited(" ")
}

/// Standard error for the log, whose lines the driver and other libraries write too.
pub(super) struct LogWriter {
    is_json: bool,
}

impl io::Write for LogWriter {
    /// The log hands over one event at a time.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = masked(&String::from_utf8_lossy(bytes)).to_string();
        // JSON has its line feeds escaped already, and what makes a terminal read backwards has to be.
        let text = if self.is_json { crate::output::escape_json(&text) } else { text };
        io::stderr().lock().write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// A defect's message may hold whatever the program works with.
pub(super) fn mask_panics() {
    std::panic::set_hook(Box::new(|panic| eprint_line(&format!("idemctl: this is a defect: {panic}"))));
}

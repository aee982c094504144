//! Signals of a terminal and of processes: who has had them already, and who has not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::binary::Binary;
use crate::running::{kill, wait_until};
use crate::support::terminal::Terminal;
use crate::support::{Dialect, TestDb};

/// A command that notes each signal that it gets, and ends when a file is there.
fn counter(folder: &Path) -> (PathBuf, PathBuf, String) {
    let (log, go) = (folder.join("signals"), folder.join("go"));
    // Perl counts signals that come while it handles another; a shell makes one of them.
    let script = format!(
        "use IO::Handle; open(my $log, '>>', '{}'); $log->autoflush; \
         for my $name (qw(INT HUP QUIT TERM)) {{ $SIG{{$name}} = sub {{ print $log \"$name\\n\" }} }} \
         print $log \"ready\\n\"; select(undef, undef, undef, 0.01) until -e '{}';",
        log.display(),
        go.display(),
    );
    (log, go, script)
}

fn noted(log: &Path) -> String {
    fs::read_to_string(log).unwrap_or_default()
}

/// Ctrl-C reaches the whole foreground group by itself; a signal that a process sends to us alone does not.
/// It does not matter which of the streams are a terminal.
#[tokio::test(flavor = "multi_thread")]
async fn the_sender_decides_whether_a_signal_is_passed_on() {
    let db = TestDb::new(Dialect::Sqlite).await;
    for redirected in [false, true] {
        let binary = Binary::on(&db);
        let (log, go, script) = counter(binary.home.path());
        let mut terminal = Terminal::open();
        let key = format!("k-{redirected}");
        let mut command = binary.command(&["run", "--key", &key, "--", "perl", "-e", &script]);
        if redirected {
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        } else {
            command.stdin(terminal.stream()).stdout(terminal.stream()).stderr(terminal.stream());
        }
        let mut child = terminal.spawn(&mut command);
        wait_until(|| noted(&log) == "ready\n");
        terminal.types("\u{3}");
        wait_until(|| noted(&log) == "ready\nINT\n");
        kill(child.id() as i32, "INT");
        wait_until(|| noted(&log) == "ready\nINT\nINT\n");
        terminal.types("\u{1c}");
        wait_until(|| noted(&log) == "ready\nINT\nINT\nQUIT\n");
        kill(child.id() as i32, "QUIT");
        wait_until(|| noted(&log) == "ready\nINT\nINT\nQUIT\nQUIT\n");
        // What was passed on twice would be here by now: a last one comes after all before.
        kill(child.id() as i32, "TERM");
        wait_until(|| noted(&log).ends_with("TERM\n"));
        assert_eq!(noted(&log), "ready\nINT\nINT\nQUIT\nQUIT\nTERM\n");
        fs::write(go, "").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// A line that is gone is told to the leader of its session alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_hang_up_reaches_the_command() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let binary = Binary::on(&db);
    let (log, go, script) = counter(binary.home.path());
    let terminal = Terminal::open();
    let mut command = binary.command(&["run", "--key", "k", "--", "perl", "-e", &script]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = terminal.spawn(&mut command);
    wait_until(|| noted(&log) == "ready\n");
    terminal.hang_up();
    wait_until(|| noted(&log).contains("HUP\n"));
    fs::write(go, "").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

//! The open port, and those who mean it no good.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;

use crate::supervised::{FAST, Janitor, expired};
use crate::support::{Dialect, TestDb, secs, until};

/// Where it listens.
fn address(janitor: &Janitor) -> String {
    let log = janitor.log();
    log.split_once("listening at http://").unwrap().1.lines().next().unwrap().to_owned()
}

/// Some hundred requests that are never ended take neither its descriptors nor anybody's answer.
#[tokio::test]
async fn half_sent_requests_do_not_keep_it_from_its_work() {
    let db = TestDb::new(Dialect::Postgres).await;
    let janitor = Janitor::start_with(&db.url, FAST, &[], |command| limit_files(command, 64));
    janitor.ready().await;
    let address = address(&janitor);
    let mut half_sent = Vec::new();
    for round in 0..6 {
        for _ in 0..60 {
            let mut stream = TcpStream::connect(&address).unwrap();
            let _ = stream.write_all(b"GET /status HTTP/1.1\r\nHost: te");
            half_sent.push(stream);
        }
        assert_eq!(janitor.get("/livez").unwrap(), (200, "ok\n".to_owned()));
        expired(&db, &format!("old-{round}-"), 50).await;
        until("it purges all the same", || async { db.rows().await == 0 }).await;
        assert_eq!(janitor.get("/readyz").unwrap().0, 200);
    }
    assert!(janitor.descriptors() < 50, "{} descriptors", janitor.descriptors());
    // None of them lives for long.
    let mut last = half_sent.pop().unwrap();
    last.set_read_timeout(Some(secs(20))).unwrap();
    let mut answer = Vec::new();
    let _ = last.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    until("all are closed", || async { janitor.descriptors() < 35 }).await;
}

/// Neither does one that is too large, or one whose answer is not read.
#[tokio::test]
async fn a_request_without_end_is_cut_off() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let janitor = Janitor::start(&db.url, FAST);
    janitor.ready().await;
    let memory = janitor.memory();
    let mut stream = TcpStream::connect(address(&janitor)).unwrap();
    stream.set_write_timeout(Some(secs(20))).unwrap();
    stream.write_all(b"GET /livez HTTP/1.1\r\n").unwrap();
    let line = format!("X-Long: {}\r\n", "x".repeat(8_000));
    // It is closed long before this has been sent.
    let sent = (0..5_000).take_while(|_| stream.write_all(line.as_bytes()).is_ok()).count();
    assert!(sent < 5_000);
    assert_eq!(janitor.get("/livez").unwrap().0, 200);
    assert!(janitor.memory() < memory + 8_000, "{} KiB from {memory}", janitor.memory());
}

/// A server's message repeats what it was given; in the log it is one line that moves no cursor, and so it is
/// for whoever asks for the reason.
#[tokio::test]
async fn the_words_of_a_server_are_one_line() {
    let db = TestDb::new(Dialect::Postgres).await;
    let url = db.url.replace("postgres@", "a%0Ab%1B%5B2J%C2%9B%E2%80%AEc@");
    for format in ["text", "json"] {
        let janitor = Janitor::start_with(&url, FAST, &["--log-format", format], |_| {});
        janitor.logs("can't be worked with").await;
        until("it says why", || async {
            janitor.get("/readyz").is_some_and(|(code, why)| code == 503 && why.contains("does not exist"))
        })
        .await;
        let why = janitor.get("/readyz").unwrap().1;
        let (_, status) = janitor.get("/status").unwrap();
        assert_eq!((why.lines().count(), status.lines().count()), (1, 1));
        let log = janitor.log();
        assert!(log.contains("does not exist"), "{log}");
        for text in [&log, &why, &status] {
            let is_hostile = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!text.contains(is_hostile), "{text:?}");
        }
        for line in log.lines().filter(|line| !line.starts_with("idemctl: ")) {
            match format {
                "text" => assert!(line.starts_with("20"), "{line}"),
                _ => assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}"),
            }
        }
    }
}

#[allow(unsafe_code, reason = "pre_exec is unsafe; setrlimit is safe to call between fork and exec")]
fn limit_files(command: &mut std::process::Command, files: libc::rlim_t) {
    // SAFETY: one async-signal-safe call, with a value of our own.
    unsafe {
        command.pre_exec(move || {
            let limit = libc::rlimit { rlim_cur: files, rlim_max: files };
            match libc::setrlimit(libc::RLIMIT_NOFILE, &limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        });
    }
}

//! The tests' own servers: nothing of them is left behind.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::server::Server;
use crate::support::until;

const TEST: &str = "harness::a_killed_test_process_leaves_neither_server_nor_folder";
const INSIDE: &str = "IDEMCTL_TEST_HARNESS";

#[tokio::test]
async fn a_killed_test_process_leaves_neither_server_nor_folder() {
    if std::env::var_os(INSIDE).is_some() {
        let server = Server::start().await;
        println!("\nfolder={}", server.folder.display());
        // Until it is killed.
        std::future::pending::<()>().await;
    }
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TEST, "--nocapture"])
        .env(INSIDE, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    let folder = lines.into_iter().find_map(|line| line.strip_prefix("folder=").map(PathBuf::from)).unwrap();
    let server = postmaster(&folder).unwrap();
    assert!(Path::new("/proc").join(&server).exists());
    process.kill().unwrap();
    process.wait().unwrap();
    until("the server has stopped and its folder is gone", || async {
        !folder.exists() && !Path::new("/proc").join(&server).exists()
    })
    .await;
}

#[tokio::test]
async fn a_dropped_server_leaves_neither_process_nor_folder() {
    let server = Server::start().await;
    let (folder, pid) = (server.folder.clone(), postmaster(&server.folder).unwrap());
    drop(server);
    assert!(!folder.exists() && !Path::new("/proc").join(pid).exists());
}

fn postmaster(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join("data/postmaster.pid")).ok()?;
    text.lines().next().map(|line| line.trim().to_owned())
}

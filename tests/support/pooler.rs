//! A PgBouncer in front of the shared server.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::{Connection as _, PgConnection};

use super::server::shared;

/// A pooler that ends with this value.
pub struct Pooler {
    child: Child,
    /// Its TCP port on 127.0.0.1.
    pub port: u16,
    _folder: tempfile::TempDir,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts one in this mode, with more lines of its configuration.
pub async fn pooler(mode: &str, more: &str) -> Pooler {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = shared().await.port;
    let (file, users) = (folder.path().join("pgbouncer.ini"), folder.path().join("users"));
    fs::write(&users, "\"postgres\" \"\"\n").unwrap();
    fs::write(
        &file,
        format!(
            "[databases]\n* = host=127.0.0.1 port={server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {}\npool_mode = {mode}\n{more}\n",
            users.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(&users, fs::Permissions::from_mode(0o644)).unwrap();
    // It refuses to run as root, like the server.
    let child = Command::new("sh")
        .args(["-c", "if [ \"$(id -u)\" = 0 ]; then exec setpriv --reuid=postgres --regid=postgres --init-groups pgbouncer \"$1\"; else exec pgbouncer \"$1\"; fi", "sh"])
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("this test needs pgbouncer (Debian: apt-get install pgbouncer; tests/run.sh does that)");
    let pooler = Pooler { child, port, _folder: folder };
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?statement-cache-capacity=0");
    let deadline = Instant::now() + Duration::from_secs(30);
    let options: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
    while PgConnection::connect_with(&options.clone().extra_float_digits(None)).await.is_err() {
        assert!(Instant::now() < deadline, "pgbouncer does not start");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    pooler
}

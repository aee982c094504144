//! Which database a command works on: what names a place is obeyed or refused, and no secret is shown.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use idemctl::store::{DatabaseUrl, Dialect, ErrorKind, Store, StoreOptions};

use crate::binary::{Binary, Ran};
use crate::support::server::shared;
use crate::support::{START, TestDb, kind, secs};

fn run(binary: &Binary, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    Ran::from(binary.command(arguments).envs(variables.iter().copied()).output().unwrap())
}

#[track_caller]
fn says(ran: &Ran, code: i32, words: &[&str]) {
    ran.is_clean();
    assert_eq!(ran.code, code, "{ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word), "{word:?} is missing: {}", ran.stderr);
    }
}

/// A database with a table in two schemas, and expired rows in both.
async fn two_schemas() -> TestDb {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run("CREATE SCHEMA staging; CREATE SCHEMA \"Mixed\"").await;
    let binary = Binary::new();
    for schema in ["staging", "Mixed"] {
        let ran = binary.run(&["migrate", "--database-url", &format!("{}?schema={schema}", db.url)]);
        says(&ran, 0, &[&format!("schema {schema} (from --database-url)")]);
    }
    let old = db.time(START.minus(secs(400_000_000)));
    for schema in ["public", "staging", "\"Mixed\""] {
        db.run(&format!(
            "INSERT INTO {schema}.idempotency_keys
                 (idempotency_key, status, created_at, claimed_at, renewed_at, finished_at, expires_at)
             VALUES ('k', 'completed', {old}, {old}, {old}, {old}, {old})"
        ))
        .await;
    }
    db
}

async fn rows(db: &TestDb) -> [i64; 3] {
    let count = |schema: &str| format!("SELECT count(*) FROM {schema}.idempotency_keys");
    [
        db.number(&count("public")).await,
        db.number(&count("staging")).await,
        db.number(&count("\"Mixed\"")).await,
    ]
}

#[tokio::test]
async fn the_schema_of_a_url_is_the_one_that_is_purged() {
    let db = two_schemas().await;
    let binary = Binary::new();
    let purge = |parameters: &str, variables: &[(&str, &str)]| {
        run(&binary, &["purge", "--database-url", &format!("{}?{parameters}", db.url)], variables)
    };
    for refused in [
        "Schema=staging",
        "schma=staging",
        "schema=staging&search_path=public",
        "schema=staging&options=-csearch_path%3Dpublic",
        "schema=",
        "service=staging",
    ] {
        says(&purge(refused, &[]), 2, &["next:"]);
    }
    // The server passes over a schema that is not there, and a misspelt one is none.
    says(&purge("schema=stagin", &[]), 8, &["there is no schema stagin", "CREATE SCHEMA"]);
    says(&purge("schema=mixed", &[]), 8, &["there is no schema mixed"]);
    db.run("CREATE SCHEMA empty").await;
    says(&purge("schema=empty", &[]), 8, &["pending", "schema empty"]);
    assert_eq!(rows(&db).await, [1, 1, 1]);
    says(&purge("schema=staging", &[("PGOPTIONS", "-c search_path=public")]), 0, &["schema staging"]);
    assert_eq!(rows(&db).await, [1, 0, 1]);
    says(&purge("search_path=%22Mixed%22,public", &[]), 0, &["schema Mixed"]);
    assert_eq!(rows(&db).await, [1, 0, 0]);
    says(&purge("", &[("PGOPTIONS", "--search_path=staging")]), 0, &["schema staging"]);
    assert_eq!(rows(&db).await, [1, 0, 0]);
    says(&purge("", &[]), 0, &["schema public"]);
    assert_eq!(rows(&db).await, [0, 0, 0]);
}

/// A table is found in one schema of the path and the others in another: nothing is made that would hide it.
#[tokio::test]
async fn a_search_path_that_leads_to_several_places_is_refused() {
    let db = TestDb::empty(Dialect::Postgres).await;
    db.run("CREATE SCHEMA a; CREATE SCHEMA b; CREATE TABLE a.x (k text PRIMARY KEY, e timestamptz)").await;
    let binary = Binary::new();
    let at = |path: &str| format!("{}?search_path={path}", db.url);
    let of = |path: &str, arguments: &[&str]| {
        run(&binary, &[arguments, &["--database-url", &at(path)]].concat(), &[])
    };
    says(&of("b", &["migrate"]), 0, &["schema b"]);
    let once = |path: &str| {
        let url = at(path);
        run(&binary, &["run", "--key", "once", "--database-url", &url, "--", "echo", "done"], &[])
    };
    says(&once("b"), 0, &[]);
    // The table lies further down the path, and so does all that is beside it.
    says(&of("a,b", &["migrate"]), 0, &["schema b"]);
    says(&once("a,b"), 0, &[]);
    let config = binary.home.path().join("x.toml");
    fs::write(
        &config,
        "[[table]]\nname = \"x\"\nkey = \"k\"\n[table.state]\nalways = \"completed\"\n\
         [table.clock]\nexpires = { column = \"e\", as = \"timestamptz\" }\n",
    )
    .unwrap();
    says(&of("a", &["--config", config.to_str().unwrap(), "migrate"]), 0, &["schema a"]);
    for refused in
        [&["migrate"][..], &["list"], &["purge"], &["pause", "--reason", "r"], &["janitor", "--once"]]
    {
        let words = ["idempotency_keys belongs to the schema b", "idemctl_migrations in a", "?schema="];
        says(&of("a,b", refused), 8, &words);
    }
    says(&once("a,b"), 125, &["idemctl_migrations in a"]);
    assert_eq!(db.number("SELECT count(*) FROM pg_class WHERE relname = 'idempotency_keys'").await, 1);
    assert_eq!(db.number("SELECT count(*) FROM b.idempotency_keys WHERE attempt = 1").await, 1);
}

#[tokio::test]
async fn variables_services_and_strings_of_parameters_name_a_database() {
    let db = TestDb::new(Dialect::Postgres).await;
    let server = shared().await;
    let port = server.port.to_string();
    let database = db.url.rsplit('/').next().unwrap();
    let binary = Binary::new();
    let place = [
        ("PGHOST", "127.0.0.1"),
        ("PGPORT", port.as_str()),
        ("PGUSER", "postgres"),
        ("PGDATABASE", database),
    ];
    let target = format!("postgres://postgres@127.0.0.1:{port}/{database}, schema public");
    let found = run(&binary, &["purge"], &place);
    says(&found, 0, &[&target, "(from $PGHOST, $PGPORT, $PGDATABASE, $PGUSER)"]);
    let conninfo = format!("host=127.0.0.1 port={port} user='postgres' dbname = {database}");
    says(&run(&binary, &["purge", "--database-url", &conninfo], &[]), 0, &[&target]);
    says(&run(&binary, &["run", "--key", "k", "--", "true"], &place), 0, &[&target]);
    let file = binary.home.path().join(".pg_service.conf");
    fs::write(&file, format!("[shop]\nhost=127.0.0.1\nport={port}\nuser=postgres\ndbname={database}\n"))
        .unwrap();
    says(&run(&binary, &["purge"], &[("PGSERVICE", "shop")]), 0, &[&target, "(from $PGSERVICE)"]);
    says(&run(&binary, &["purge", "--database-url", "postgres:///?service=shop"], &[]), 0, &[&target]);
    // Neither makes a database of its own.
    assert!(!binary.home.path().join(".local").exists());
    for (variable, value) in [
        ("PGREQUIREAUTH", "scram-sha-256"),
        ("PGGSSENCMODE", "require"),
        ("PGSSLMODE", "bogus"),
        ("PGCONNECT_TIMEOUT", "soon"),
        ("PGTARGETSESSIONATTRS", "standby"),
    ] {
        let mut variables = place.to_vec();
        variables.push((variable, value));
        says(&run(&binary, &["purge"], &variables), 2, &[variable]);
        says(&run(&binary, &["run", "--key", "l", "--", "true"], &variables), 125, &[variable]);
    }
    let url = format!("{}?target_session_attrs=read-write&pgbouncer=true", db.url);
    says(&run(&binary, &["purge", "--database-url", &url], &[]), 0, &["parameter pgbouncer", "ignored"]);
}

#[tokio::test]
async fn a_password_file_is_used_when_nobody_else_can_read_it() {
    let server = shared().await;
    let binary = Binary::new();
    let file = binary.home.path().join(".pgpass");
    fs::write(&file, "127.0.0.1:*:*:nobody:s3cret\n").unwrap();
    let url = format!("postgres://nobody@127.0.0.1:{}/postgres", server.port);
    let list = || run(&binary, &["list", "--database-url", &url], &[]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    says(&list(), 7, &["can be read by others", "chmod 600"]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let ran = list();
    says(&ran, 7, &["nobody"]);
    assert!(!ran.stderr.contains("can be read by others") && !ran.stderr.contains("s3cret"), "{ran:?}");
}

#[test]
fn a_misspelt_variable_of_ours_is_refused() {
    let binary = Binary::new();
    for (name, meant) in [
        ("IDEMCTL_DATABSE_URL", "$IDEMCTL_DATABASE_URL"),
        ("IDEMCTL_DB_URL", "$IDEMCTL_DATABASE_URL"),
        ("IDEMCTL_URL", "$IDEMCTL_DATABASE_URL"),
        ("IDEMCTL_POSTGRES", "$IDEMCTL_DATABASE_URL"),
        ("IDEMCTL_PURGE_SHEDULE", "$IDEMCTL_PURGE_SCHEDULE"),
        ("IDEMCTL_CONFIGURATION", "$IDEMCTL_CONFIG"),
    ] {
        let ran = run(&binary, &["list"], &[(name, "postgres://u:s3cret@h/d")]);
        says(&ran, 2, &[name, &format!("did you mean {meant}?")]);
        assert!(!ran.stderr.contains("s3cret"), "{ran:?}");
    }
    for name in ["IDEMCTL_CONTEXT", "IDEMCTL_TABLE", "IDEMCTL_READ_ONLY"] {
        says(&run(&binary, &["list"], &[(name, "prod")]), 2, &[name, "unset it"]);
    }
    let ran = run(&binary, &["config", "show", "-v"], &[("IDEMCTL_HELPER", "1")]);
    says(&ran, 0, &["$IDEMCTL_HELPER has no meaning"]);
    let file = binary.home.path().join("url");
    fs::write(&file, "sqlite:/x.db\n").unwrap();
    let ran = run(&binary, &["config", "show"], &[("IDEMCTL_DATABASE_URL_FILE", file.to_str().unwrap())]);
    assert!(ran.stdout.contains("sqlite:/x.db"), "{ran:?}");
    assert!(ran.stdout.contains("$IDEMCTL_DATABASE_URL_FILE"), "{ran:?}");
}

#[test]
fn the_local_file_is_made_by_migrate_alone_and_loudly() {
    let binary = Binary::new();
    says(&run(&binary, &["migrate"], &[("PGSSLMODE", "require")]), 2, &["no database is named", "PGSSLMODE"]);
    says(&run(&binary, &["migrate"], &[("DATABASE_URL", " ")]), 2, &["$DATABASE_URL is set, and empty"]);
    says(&run(&binary, &["migrate"], &[("PGHOST", "127.0.0.1"), ("PGPORT", "1")]), 7, &["can't be reached"]);
    assert!(fs::read_dir(binary.home.path()).unwrap().next().is_none());
    let file = binary.home.path().join(".local/share/idemctl/idemctl.db");
    let path = file.to_str().unwrap();
    says(&run(&binary, &["migrate"], &[]), 0, &["making the SQLite file", path, "--database-url"]);
    says(&run(&binary, &["list"], &[]), 0, &[]);
    says(&run(&binary, &["janitor", "--once"], &[]), 2, &["next:"]);
}

#[tokio::test]
async fn sqlite_parameters_are_obeyed() {
    let db = TestDb::new(Dialect::Sqlite).await;
    db.fill("old", 3, START.minus(secs(400_000_000)), START.minus(secs(300_000_000))).await;
    // A file that is said never to change is read without its log.
    db.run("PRAGMA wal_checkpoint(TRUNCATE)").await;
    let binary = Binary::new();
    let with = |parameters: &str, arguments: &[&str]| {
        let url = format!("{}?{parameters}", db.url);
        let mut all = arguments.to_vec();
        all.extend(["--database-url", &url]);
        binary.run(&all)
    };
    for parameters in ["mode=ro", "mode=ro&cache=private", "immutable=1"] {
        says(&with(parameters, &["list"]), 0, &[]);
        says(&with(parameters, &["purge"]), 8, &["takes no writes"]);
    }
    for parameters in [
        "mode=memory",
        "vfs=memdb",
        "vfs=%6Demdb",
        "vfs=unix-none",
        "vfs=nosuch",
        "mod=ro",
        "mode=RO",
        "vfs=",
        "x",
        "mode=ro&mode=rw",
    ] {
        let ran = with(parameters, &["purge"]);
        assert!(ran.code == 2 && ran.stderr.contains("next:") != parameters.contains("nosuch"), "{ran:?}");
    }
    assert_eq!(db.rows().await, 3);
    says(&with("mode=rw", &["purge"]), 0, &[&db.url]);
    assert_eq!(db.rows().await, 0);
    let folder = tempfile::tempdir().unwrap();
    let missing = format!("sqlite:{}/x.db", folder.path().display());
    let ran = binary.run(&["migrate", "--database-url", &format!("{missing}?mode=rw")]);
    says(&ran, 7, &["there is no SQLite database", "check the path"]);
    assert!(!ran.stderr.contains("database runs"), "{ran:?}");
    says(&binary.run(&["migrate", "--database-url", &format!("{missing}?mode=rwc")]), 0, &[]);
}

#[test]
fn no_place_shows_a_password() {
    let binary = Binary::new();
    let home = binary.home.path().to_owned();
    let silent = |what: &str, ran: Ran, code: i32| {
        ran.is_clean();
        assert_eq!(ran.code, code, "{what}: {ran:?}");
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("s3cr"), "{what}: {ran:?}");
    };
    for url in [
        "postgres://app:s3cr?et@127.0.0.1:1/db",
        "postgres://app:s3cr@et/Pass?x@127.0.0.1:1/x",
        "postgres://app:s3cr#et@127.0.0.1:1/db",
        "postgres://app:s3cr%et@127.0.0.1:1/db",
        "postgres://app:s3cr:et/@127.0.0.1:1/db",
        "postgre://app:s3cret@127.0.0.1:1/db",
        "postgres://127.0.0.1:1/db?password=s3&s3cr=x",
        "host=127.0.0.1 password=s3 s3cr=x",
        "host=127.0.0.1 password='s3cr",
    ] {
        for arguments in [
            &["config", "show"][..],
            &["config", "show", "-o", "json"],
            &["list", "-vv"],
            &["janitor"],
            &["janitor", "--once"],
            &["migrate"],
        ] {
            silent(url, run(&binary, arguments, &[("DATABASE_URL", url)]), 2);
        }
        let arguments = ["run", "--key", "k", "--", "true"];
        silent(url, run(&binary, &arguments, &[("DATABASE_URL", url)]), 125);
        // A URL where none belongs.
        for flags in [
            &["list", "--older-than", url][..],
            &["list", "--limit", url],
            &["list", "--bogus", url],
            &["list", "--database-ur", url],
            &["list", url],
            &["--output", url, "list"],
            &["--database-url-file", url, "list"],
            &["--config", url, "list"],
            &["--time-zone", url, "list"],
        ] {
            silent(url, binary.run(flags), 2);
        }
        let joined = format!("--older-than={url}");
        silent(url, binary.run(&["list", &joined]), 2);
    }
    let url = "postgres://app:s3cret@127.0.0.1:1/db";
    silent("valid", run(&binary, &["list", "-vv"], &[("DATABASE_URL", url)]), 7);
    silent("valid", run(&binary, &["config", "show"], &[("DATABASE_URL", url)]), 0);
    let variables = [("PGHOST", "127.0.0.1"), ("PGPORT", "1"), ("PGPASSWORD", "s3cret")];
    silent("PGPASSWORD", run(&binary, &["list", "-vv"], &variables), 7);
    let file = home.join("c.toml");
    for text in [
        "[database]\nurl = \"postgres://app:pa\\s3cret@h/db\"\n",
        "[database]\nurl = \"postgres://app:s3cret@h/db\n",
        "[database]\nurl = postgres://app:s3cret@h/db\n",
        "[database]\nurl = \"postgres://app:s3cr?et@h/db\"\n",
        "[database]\npostgres://app:s3cret@h/db\n",
        "[database]\n\"postgres://app:s3cret@h/db\" = 1\n",
        "database = \"postgres://app:s3cret@h/db\"\n",
        "database = \"host=h password=s3cret\"\n",
        "[database]\nconnect_timeout = \"postgres://app:s3cret@h/db\"\n",
        "[database]\nurl_file = \"postgres://app:s3cret@h/db\"\n",
        "[database]\nurl = [\"postgres://app:s3cret@h/db\"]\nlocal = \"s3cret\"\n",
        "[display]\noutput = \"postgres://app:s3cret@h/db\"\n",
        "[purge]\nschedule = \"postgres://app:s3cret@h/db\"\n[database]\nurl = \"sqlite:x\"\n",
    ] {
        fs::write(&file, text).unwrap();
        silent(text, binary.run(&["--config", file.to_str().unwrap(), "janitor"]), 2);
    }
    fs::write(&file, "[database]\nurl = \"postgres://app:s3cret\n").unwrap();
    let ran = binary.run(&["--config", file.to_str().unwrap(), "list"]);
    says(&ran, 2, &["c.toml, line 2"]);
}

#[tokio::test]
async fn the_library_is_as_strict_as_the_commands() {
    let server = shared().await;
    let base = server.url("postgres");
    for parameters in ["sslmod=require", "service=nowhere", "require_auth=md5", "sslmode=bogus", "foo=bar"] {
        let ran = Store::connect(&format!("{base}?{parameters}"), StoreOptions::default()).await;
        assert_eq!(kind(ran), ErrorKind::Input, "{parameters}");
    }
    let ran = Store::connect(&format!("{base}?schema=nowhere"), StoreOptions::default()).await;
    assert_eq!(kind(ran), ErrorKind::WrongSchema);
    let url: DatabaseUrl = "postgres://app:s3cret@h/d?password=s3cret".parse().unwrap();
    assert!(!format!("{url} {url:?}").contains("s3cret"));
}

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::dialect::postgres::url::TlsMode;

fn parse_with(text: &str, variables: &[(&str, &str)]) -> Result<DatabaseUrl, InvalidUrl> {
    let variables: HashMap<String, OsString> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect();
    let lookup = |name: &str| variables.get(name).cloned();
    DatabaseUrl::parse(text, &Environment::new(&lookup))
}

fn parse(text: &str) -> Result<DatabaseUrl, InvalidUrl> {
    parse_with(text, &[])
}

#[track_caller]
fn postgres(text: &str, variables: &[(&str, &str)]) -> PostgresUrl {
    match parse_with(text, variables) {
        Ok(DatabaseUrl::Postgres(url)) => *url,
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn refused(text: &str, variables: &[(&str, &str)], word: &str) {
    let error = parse_with(text, variables).expect_err(text);
    let said = format!("{error} {}", error.hint().unwrap_or_default());
    assert!(said.contains(word), "{text}: {word:?} is missing in {said:?}");
}

fn place(url: &PostgresUrl) -> Vec<(String, u16)> {
    url.hosts().iter().map(|host| (host.name.clone(), host.port)).collect()
}

#[test]
fn the_parts_of_a_url_and_its_parameters_name_the_same() {
    let url = postgres("postgresql://api:s3%3Fcret@a:1,b:2/shop?sslmode=disable", &[]);
    assert_eq!(place(&url), [("a".into(), 1), ("b".into(), 2)]);
    assert_eq!((url.user(), url.password(), url.database()), (Some("api"), Some("s3?cret"), Some("shop")));
    assert_eq!(url.tls_mode(), TlsMode::Disable);
    for same in [
        "postgres:///?host=a&port=1&user=api&password=s%20e&dbname=shop",
        "postgres://x:y@z:9/w?host=a&port=1&user=api&password=s%20e&dbname=shop",
        "host=a port=1 user=api password='s e' dbname = shop",
        r"host=a port=1 user=api password=s\ e dbname='shop'",
    ] {
        let url = postgres(same, &[]);
        assert_eq!(place(&url), [("a".into(), 1)], "{same}");
        assert_eq!(
            (url.user(), url.password(), url.database()),
            (Some("api"), Some("s e"), Some("shop")),
            "{same}"
        );
    }
    assert_eq!(
        place(&postgres("postgres://[::1]:7,[fe80::1]/x", &[])),
        [("::1".into(), 7), ("fe80::1".into(), 5432)]
    );
    let socket = postgres("postgres://u@%2Frun%2Fpg:6/x", &[]);
    assert!(socket.hosts()[0].is_socket());
    assert_eq!(socket.to_string(), "postgres://u@/x?host=/run/pg&port=6");
    assert!(postgres("postgres://u@localhost/x?host=/cloudsql/a:b:c", &[]).hosts()[0].is_socket());
}

#[test]
fn a_plus_is_a_plus_as_with_libpq() {
    assert_eq!(postgres("postgres://h/d?password=a+b", &[]).password(), Some("a+b"));
}

#[test]
fn a_schema_is_named_in_each_spelling() {
    for (text, path) in [
        ("schema=staging", "\"staging\""),
        ("schema=Staging", "\"Staging\""),
        ("currentSchema=Staging", "\"staging\""),
        ("currentSchema=a,b", "\"a\", \"b\""),
        ("search_path=%22A%20b%22,%20$user", "\"A b\", \"$user\""),
        ("schema=a&search_path=a&currentSchema=a", "\"a\""),
    ] {
        let url = postgres(&format!("postgres://h/d?{text}"), &[]);
        assert_eq!(url.search_path().as_deref(), Some(path), "{text}");
    }
    let url = postgres("postgres://h/d?options=-csearch_path%3Dapp", &[]);
    assert_eq!((url.search_path(), url.schemas()), (None, Some(&["app".to_owned()][..])));
    let url = postgres("postgres://h/d?options[search_path]=app&schema=app", &[]);
    assert_eq!(url.options(), Some("-c search_path=app"));
    // The URL beats the variable.
    let url = postgres("postgres://h/d?schema=b", &[("PGOPTIONS", "-c search_path=a")]);
    assert_eq!(url.search_path().as_deref(), Some("\"b\""));
    assert_eq!(postgres("postgres://h/d", &[("PGOPTIONS", "--search-path=a")]).schemas().unwrap(), ["a"]);
    for text in [
        "schema=a&search_path=b",
        "schema=a&schema=b",
        "schema=",
        "schema=a,b",
        "search_path=,",
        "schema=a&options=-csearch_path%3Db",
        "Schema=a",
        "currentschema=a",
    ] {
        refused(&format!("postgres://h/d?{text}"), &[], "");
    }
    // The driver would send both.
    refused("postgres://h/d?options=-cgeqo%3Doff", &[("PGOPTIONS", "-csearch_path=a")], "PGOPTIONS");
}

#[test]
fn what_asks_for_security_is_obeyed_or_refused() {
    let mode = |text: &str, variables: &[(&str, &str)]| {
        postgres(&format!("postgres://h/d?{text}"), variables).tls_mode()
    };
    assert_eq!(mode("", &[]), TlsMode::Prefer);
    assert_eq!(mode("sslmode=verify-full", &[]), TlsMode::VerifyFull);
    assert_eq!(mode("sslmode=require&sslrootcert=/ca.pem", &[]), TlsMode::VerifyCa);
    assert_eq!(mode("sslrootcert=system", &[]), TlsMode::VerifyFull);
    assert_eq!(mode("ssl=true", &[]), TlsMode::Require);
    assert_eq!(mode("ssl=true&sslmode=verify-full", &[]), TlsMode::VerifyFull);
    assert_eq!(mode("ssl=true", &[("PGSSLMODE", "disable")]), TlsMode::Require);
    assert_eq!(mode("", &[("PGSSLMODE", "verify-ca")]), TlsMode::VerifyCa);
    assert_eq!(mode("sslmode=disable", &[("PGSSLMODE", "verify-ca")]), TlsMode::Disable);
    for (text, word) in [
        ("sslmod=require", "sslmode"),
        ("SSLMODE=require", "sslmode"),
        ("sslmode=", "sslmode"),
        ("sslmode=bogus", "verify-full"),
        ("sslmode=require&sslmode=disable", "twice"),
        ("ssl=true&sslmode=disable", "ssl"),
        ("ssl=maybe", "ssl"),
        ("sslrootcert=system&sslmode=require", "verify-full"),
        ("sslmode=verify-full&hostaddr=127.0.0.1", "hostaddr"),
        ("gssencmode=require", "gssencmode"),
        ("require_auth=scram-sha-256", "require_auth"),
        ("channel_binding=require", "channel_binding"),
        ("requirepeer=postgres", "requirepeer"),
        ("sslcrl=/x", "sslcrl"),
        ("sslpassword=x", "sslpassword"),
        ("ssl_min_protocol_version=TLSv1.3", "ssl_min_protocol_version"),
        ("sslcertmode=require", "sslcertmode"),
        ("sslaccept=strict", "sslaccept"),
        ("target_session_attrs=standby", "target_session_attrs"),
        ("connect_timeout=x", "connect_timeout"),
        ("port=abc", "port"),
        ("port=0", "port"),
        ("port=1,2", "ports"),
        ("hostaddr=localhost", "hostaddr"),
        ("foo=bar", "foo"),
        ("service=nowhere", "service"),
    ] {
        refused(&format!("postgres://h/d?{text}"), &[], word);
    }
    for (variable, value) in [
        ("PGREQUIREAUTH", "scram-sha-256"),
        ("PGGSSENCMODE", "require"),
        ("PGCHANNELBINDING", "require"),
        ("PGSSLMODE", "bogus"),
        ("PGSSLMODE", " "),
        ("PGPORT", "abc"),
        ("PGCONNECT_TIMEOUT", "soon"),
        ("PGTARGETSESSIONATTRS", "master"),
        ("PGSERVICE", "nowhere"),
        ("PGSSLCRL", "/x"),
    ] {
        refused("postgres://h/d", &[(variable, value)], "");
    }
    // What the URL says itself is not asked of the variables.
    postgres("postgres://h:1/d", &[("PGPORT", "abc")]);
}

#[test]
fn harmless_parameters_are_named_and_ignored() {
    let text = "postgres://h/d?pgbouncer=true&connection_limit=1&channel_binding=prefer&gssencmode=disable";
    assert_eq!(
        postgres(text, &[]).ignored(),
        ["pgbouncer", "connection_limit", "channel_binding", "gssencmode"]
    );
    assert!(postgres("postgres://h/d", &[("PGGSSENCMODE", "disable")]).ignored().is_empty());
}

#[test]
fn variables_fill_in_what_the_text_leaves_open() {
    let variables = [
        ("PGHOST", "env"),
        ("PGPORT", "99"),
        ("PGUSER", "eve"),
        ("PGDATABASE", "edb"),
        ("PGPASSWORD", "epw"),
        ("PGAPPNAME", "app"),
        ("PGCONNECT_TIMEOUT", "3"),
        ("PGTARGETSESSIONATTRS", "read-write"),
    ];
    let url = postgres("postgres://me@h/d", &variables);
    assert_eq!(place(&url), [("h".into(), 99)]);
    assert_eq!((url.user(), url.database(), url.password()), (Some("me"), Some("d"), Some("epw")));
    assert_eq!((url.application_name(), url.connect_timeout()), (Some("app"), Some(Duration::from_secs(3))));
    assert!(url.must_write());
    let lookup =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
    let (url, names) = DatabaseUrl::from_variables(&Environment::new(&lookup)).unwrap().unwrap();
    assert_eq!(url.to_string(), "postgres://eve@env:99/edb");
    assert_eq!(names, ["PGHOST", "PGPORT", "PGDATABASE", "PGUSER"]);
    let only = |name: &str| (name == "PGSSLMODE").then(|| "require".into());
    assert_eq!(DatabaseUrl::from_variables(&Environment::new(&only)).unwrap(), None);
    let url = postgres("postgres://h/d", &[("PGHOSTADDR", "10.0.0.9")]);
    assert_eq!(url.to_string(), "postgres://h:5432/d?hostaddr=10.0.0.9");
    refused("postgres://h/", &[("PGDATABASE", "postgres://a:s3cret@h/d")], "URL");
}

#[test]
fn a_service_stands_between_the_text_and_the_variables() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("pg_service.conf");
    let write = |text: &str| fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap().to_owned();
    let load =
        |text: &str| parse_with(text, &[("PGSERVICEFILE", &path), ("PGHOST", "env"), ("PGUSER", "eve")]);
    write("# all\n[shop]\nhost=db1\nport=6\ndbname=shop\nsslmode=require\nhost=second\n\n[other]\nhost=x\n");
    let Ok(DatabaseUrl::Postgres(url)) = load("postgres:///?service=shop&port=7") else { panic!() };
    assert_eq!(url.to_string(), "postgres://eve@db1:7/shop");
    assert_eq!(url.tls_mode(), TlsMode::Require);
    assert!(load("service=nowhere").is_err());
    for wrong in [
        "[s]\nhost s3cret\n",
        "[s]\nldap://s3cret\n",
        "[s]\nservice=t\n",
        "[s]\nhots=s3cret\n",
        "[s]\ngssencmode=require\n",
    ] {
        write(wrong);
        let error = load("service=s").expect_err(wrong);
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
    // Of the system's folder where the user has none.
    write("[s]\nhost=sys\n");
    let url = parse_with("service=s", &[("PGSYSCONFDIR", folder.path().to_str().unwrap())]).unwrap();
    assert!(url.to_string().contains("@sys:") || url.to_string().contains("//sys:"), "{url}");
    let error = parse_with("service=s", &[("PGSERVICEFILE", "/no/such/file")]).unwrap_err();
    assert!(error.to_string().contains("/no/such/file"));
}

#[test]
fn text_that_falls_into_no_parts_is_refused() {
    for text in [
        "",
        "x",
        "\"postgres://u:p@h/d\"",
        "/var/x.db",
        "shop",
        "postgre://u:p@h/d",
        "mysql://u@h/d",
        "MariaDB://h",
        "postgres://app:s3cr?et@127.0.0.1:1/db",
        "postgres://app:54?et@127.0.0.1:1/db",
        "postgres://app:54/et@127.0.0.1:1/db",
        "postgres://app:s3cr#et@h/db",
        "postgres://app:s3@cr@h/db",
        "postgres://app:s%zzcr@h/db",
        "postgres://app:s%00cr@h/db",
        "postgres://app:s3cret",
        "postgres://a,,b/d",
        "postgres://a,/d",
        "postgres://h:70000/d",
        "postgres://h/d?x",
        "postgres://h/d?password=a&b=c",
        "postgres://[::1/d",
        "postgres://[::1]x/d",
        "postgres://a:1:2/d",
        "host=h:5432",
        "host=h dbname",
        "host='h",
        "host=h password=a b=c",
        "dbname=postgres://h/d",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn sqlite_parameters_mean_what_they_mean_to_the_driver() {
    let url = |text: &str| match parse(text) {
        Ok(DatabaseUrl::Sqlite(url)) => url,
        other => panic!("{text}: {other:?}"),
    };
    for (text, path) in [
        ("sqlite:a b.db", "a b.db"),
        ("sqlite:a%3Fb.db", "a?b.db"),
        ("sqlite://x.db", "x.db"),
        ("sqlite:///var/x.db", "/var/x.db"),
        ("sqlite:file:x", "./file:x"),
        ("sqlite:x.db?mode=ro", "x.db"),
    ] {
        assert_eq!(url(text).path(), PathBuf::from(path), "{text}");
    }
    assert!(url("sqlite:x?mode=ro").is_read_only() && url("sqlite:x?immutable=1").is_read_only());
    let creates = |text: &str| [false, true].map(|wanted| url(text).creates(wanted));
    assert_eq!(creates("sqlite:x"), [false, true]);
    assert_eq!(creates("sqlite:x?mode=rwc"), [true, true]);
    assert_eq!(creates("sqlite:x?mode=rw"), [false, false]);
    assert_eq!(creates("sqlite:x?mode=ro"), [false, false]);
    assert_eq!(url("sqlite:x?cache=shared&mode=ro&mode=ro").to_string(), "sqlite:x?mode=ro&cache=shared");
    assert_eq!(DatabaseUrl::sqlite_file("/a?b%").to_string(), "sqlite:/a%3Fb%25");
    for (text, word) in [
        ("sqlite:", "no file"),
        ("sqlite://?mode=ro", "no file"),
        ("sqlite::memory:", "memory"),
        ("sqlite:file:x?mode=memory", "memory"),
        ("sqlite:x?mode=RO", "rwc"),
        ("sqlite:x?mode=ro&mode=rw", "twice"),
        ("sqlite:x?mod=ro", "mode"),
        ("sqlite:x?foo=1", "%3F"),
        ("sqlite:what?.db", "%3F"),
        ("sqlite:x?cache=big", "private"),
        ("sqlite:x?immutable=2", "true"),
        ("sqlite:x?vfs=", "vfs"),
        ("sqlite:x?vfs=memdb", "memory"),
        ("sqlite:x?vfs=unix-none", "locks"),
        ("sqlite:x?vfs=win32-none", "locks"),
        ("sqlite://app:pw#x@host/db", "password"),
        ("sqlite:100%.db", "%25"),
    ] {
        refused(text, &[], word);
    }
}

#[test]
fn passwords_are_masked_in_the_text_of_others() {
    for (text, shown) in [
        ("see postgres://me:s3cret@h/d.", "see postgres://me:…@h/d."),
        ("'postgres://me:s3/cr?et@x@h/d' no", "'postgres://me:…@h/d' no"),
        ("postgres://:s3cret@a", "postgres://:…@a"),
        ("postgres://me:s3 'cret@h/d", "postgres://me:…@h/d"),
        ("a://u:s3cret@h b://u:s3cret@h", "a://u:…@h b://u:…@h"),
        ("postgres://h/d?password=s3cret&x=1", "postgres://h/d?password=…"),
        ("host=h password = 's3 \\' cret' x=1", "host=h password = … x=1"),
        ("PGPASSWORD=s3cret PASSWORD=s3cret", "PGPASSWORD=… PASSWORD=…"),
        (r#"{"m":"\"password=s3cret\" no"}"#, r#"{"m":"\"password=…\" no"}"#),
        (r#"no "host=h password=LEFT\"RIGHT dbname=d""#, r#"no "host=h password=… dbname=d""#),
        (r#""postgres://h/d?password=LEFT\"RIGHT" is"#, r#""postgres://h/d?password=…" is"#),
        ("from app:s3cret@127.0.0.1/db now", "from app:…@127.0.0.1/db now"),
        (r#"no "app:s3c@r#et\"x@h.example:5432/db""#, r#"no "app:…@h.example:5432/db""#),
        ("order:7@shop is not user:x@ or a:b", "order:7@shop is not user:x@ or a:b"),
        ("http://127.0.0.1:9750 and me@x", "http://127.0.0.1:9750 and me@x"),
        ("postgres://me@h:5432/d", "postgres://me@h:5432/d"),
        ("check the user and the password", "check the user and the password"),
    ] {
        assert_eq!(masked(text), shown);
        assert_eq!(masked(&masked(text)), shown, "masked twice");
    }
}

/// A password with every character that means something in a URL; each alphanumeric piece of it is a secret.
fn password() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            3 => Just("Q7x".to_owned()),
            1 => "[@:/?#%&=' \\\\+,\\[\\]\"$.-]".prop_map(String::from),
        ],
        2..8,
    )
    .prop_map(|pieces| pieces.concat())
    .prop_filter("holds a secret", |text| text.contains("Q7x"))
}

/// What anybody could see of a text that names a database.
fn visible(text: &str, variables: &[(&str, &str)]) -> String {
    match parse_with(text, variables) {
        Ok(url) => {
            let ignored = url.ignored().join(" ");
            format!("{url} {url:?} {ignored}")
        }
        Err(error) => {
            let hint = error.hint().unwrap_or_default().to_owned();
            let store = StoreError::from(error.clone());
            format!("{error} {error:?} {hint} {store} {store:?}")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_piece_of_a_password_is_ever_shown(password in password(), tail in "(/d)?(\\?sslmode=require)?") {
        for text in [
            format!("postgres://app:{password}@h{tail}"),
            format!("postgres://app:{password}@h:1,i:2{tail}"),
            format!("postgresql://:{password}@h{tail}"),
            format!("postgre://app:{password}@h{tail}"),
            format!("postgres:app:{password}@h{tail}"),
            format!("postgres://h/d?user=app&password={password}"),
            format!("postgres://h/d?password={password}&sslmod=require"),
            format!("postgres://h/d?sslpassword={password}"),
            format!("host=h user=app password={password} dbname=d"),
            format!("host=h user=app password='{password}' dbname=d"),
            format!("host=h user=app password = {password}"),
        ] {
            let shown = visible(&text, &[]);
            // A user's, a host's or a database's name is no secret: what was not encoded may have become one only
            // where no @ or : shows that a password was meant.
            prop_assert!(!shown.contains("Q7x"), "{text}: {shown}");
            // What a program prints of it although it should not.
            let printed = masked(&text);
            if text.starts_with("postgres://app:") && text.matches("://").count() == 1 {
                prop_assert!(!printed.contains("Q7x"), "{printed}");
            }
        }
        let shown = visible("postgres://h/d", &[("PGPASSWORD", &password)]);
        prop_assert!(!shown.contains("Q7x"), "{shown}");
    }

    /// What is encoded comes back exactly.
    #[test]
    fn an_encoded_password_is_the_password(password in "\\PC{1,20}") {
        let encoded: String = password.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let url = postgres(&format!("postgres://app:{encoded}@h/d?sslmode=disable"), &[]);
        prop_assert_eq!(url.password(), Some(password.as_str()));
        let quoted = password.replace('\\', "\\\\").replace('\'', "\\'");
        let url = postgres(&format!("host=h password='{quoted}' user=app"), &[]);
        prop_assert_eq!(url.password(), Some(password.as_str()));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        for text in [text.clone(), format!("postgres://{text}"), format!("sqlite:{text}"), format!("host={text}")] {
            let _ = visible(&text, &[("PGOPTIONS", &text)]);
            let _ = masked(&text);
        }
    }
}

//! The text of every statement, compared with what it was: of our own table, and of adopted ones of every shape.
//! `IDEMCTL_BLESS=1 cargo test --lib golden` writes the files anew.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::{Catalogue, TimeSource};
use crate::protocol::Timestamp;
use crate::settings::mapping_of;
use crate::store::Dialect;
use crate::table::{Column, Columns, Family, Fragments, Ident, Locator, Mapping};

/// A table that a team has: its mapping, and its columns as `name type flags`, where `!` is NOT NULL, `=` is
/// generated, `~` folds texts.
struct Shape {
    name: &'static str,
    mapping: &'static str,
    postgres: &'static str,
    sqlite: &'static str,
    locator: fn(Dialect) -> Locator,
    key_is_unique: bool,
}

fn place_of_a_row(dialect: Dialect) -> Locator {
    match dialect {
        Dialect::Postgres => Locator::Ctid { children: false },
        Dialect::Sqlite => Locator::Rowid("_rowid_"),
    }
}

const SHAPES: [Shape; 5] = [
    Shape {
        name: "states",
        mapping: r#"
name = "shop.pay WHERE $1"
key = ["k$1", "ORDER BY"]
scope = ["a ' \" ` {x}"]
guard = { kind = "pay'ment", version = 2 }
[table.state]
column = "status ?"
in_progress = ["busy", "it's"]
completed = ["done"]
failed = ["broken"]
keep = ["held"]
[table.clock]
created = { column = "created", as = "timestamptz" }
claimed = { column = "locked_at", as = "timestamptz" }
alive = { column = "beat", as = "timestamptz" }
lease = { column = "until", as = "timestamptz" }
expires = { column = "gone", as = "timestamptz" }
[table.fail]
set = { "status ?" = "broken" }
set_null = ["locked_at"]
set_now = ["beat"]
[table.release]
set = { "status ?" = "busy" }
[table.show]
request_hash = "hash"
response = { column = "answer", status = "a.code", body = "a.body" }
attempt = "tries"
owner = "worker"
"#,
        postgres: "k$1 text!~|ORDER BY integer!|a ' \" ` {x} character varying(20)|kind text|version integer|\
                   status ? text!|created timestamp with time zone!|locked_at timestamp with time zone|\
                   beat timestamp with time zone|until timestamp with time zone|gone timestamp with time zone|\
                   hash bytea|answer jsonb|tries integer|worker text",
        sqlite: "k$1 TEXT!~|ORDER BY INTEGER!|a ' \" ` {x} TEXT|kind TEXT|version INTEGER|status ? TEXT!|\
                 created INTEGER!|locked_at INTEGER|beat INTEGER|until INTEGER|gone INTEGER|hash BLOB|answer TEXT|\
                 tries INTEGER|worker TEXT",
        locator: place_of_a_row,
        key_is_unique: false,
    },
    Shape {
        name: "nulls",
        mapping: r#"
name = "requests"
key = "request_id"
[table.state]
null_means_in_progress = ["code", "body"]
[table.clock]
created = { column = "at", as = "epoch_ms" }
expires = { column = "until", as = "epoch_s" }
ttl = "1d"
null_expires = "ttl"
[table.fail]
delete = true
[table.show]
response_status = "code"
response_body = "body"
"#,
        postgres: "request_id uuid!|code smallint|body bytea|at bigint!|until double precision",
        sqlite: "request_id BLOB!|code INTEGER|body BLOB|at INTEGER!|until REAL",
        locator: place_of_a_row,
        key_is_unique: true,
    },
    Shape {
        name: "marks",
        mapping: r#"
name = "jobs"
key = ["id"]
scope = ["tenant", "kind"]
[table.state]
column = "phase"
completed = [1]
failed = [9]
in_progress = [0]
set_means_in_progress = ["held_by", { column = "lock", unset = [0] }]
[table.clock]
created = { column = "made", as = { text = "YYYY-MM-DDTHH:MM:SS[.s]+00:00" } }
lease = { column = "held_to", as = { naive = "UTC" } }
expires = { column = "gone", as = { text = "YYYY-MM-DDTHH:MM:SS[.s]+00:00" } }
[table.fail]
set = { phase = 9, lock = 0 }
set_null = ["held_by"]
[table.release]
delete = true
"#,
        postgres: "id bytea!|tenant bigint!|kind text!|phase smallint!|held_by text|lock integer!|made text!|\
                   held_to timestamp without time zone|gone character(40)",
        sqlite: "id BLOB!|tenant INTEGER!|kind TEXT!|phase INTEGER!|held_by TEXT|lock INTEGER!|made TEXT!|\
                 held_to TEXT|gone TEXT",
        locator: |_| Locator::Columns(["kind", "id", "tenant"].map(ident).to_vec()),
        key_is_unique: true,
    },
    Shape {
        name: "inbox",
        mapping: r#"
name = "inbox"
key = "message_id"
[table.state]
always = "completed"
[table.clock]
created = { column = "seen", as = "epoch_us" }
ttl = "7d"
"#,
        postgres: "message_id text!|seen numeric!",
        sqlite: "message_id TEXT!|seen INTEGER!",
        locator: |dialect| match dialect {
            Dialect::Postgres => Locator::Ctid { children: true },
            Dialect::Sqlite => Locator::Columns(vec![ident("message_id")]),
        },
        key_is_unique: false,
    },
    Shape {
        name: "flag",
        mapping: r#"
name = "calls"
key = "k"
[table.state]
column = "done"
in_progress = [false]
completed = [true]
[table.clock]
claimed = { column = "begun", as = "epoch_us" }
expires = { column = "begun", as = "epoch_us" }
"#,
        postgres: "k character(30)!|done boolean!|begun bigint",
        sqlite: "k TEXT!|done BOOLEAN!|begun INTEGER",
        locator: place_of_a_row,
        key_is_unique: true,
    },
];

fn ident(name: &str) -> Ident {
    Ident::new(name.to_owned()).unwrap()
}

fn column(text: &str) -> Column {
    let bare = text.trim_end_matches(['!', '=', '~']);
    let flags = &text[bare.len()..];
    let types = [
        ("timestamp with time zone", Family::Timestamptz),
        ("timestamp without time zone", Family::Timestamp),
        ("double precision", Family::Fraction),
        ("character varying(20)", Family::Text),
        ("character(30)", Family::Other),
        ("character(40)", Family::Other),
        ("numeric", Family::Fraction),
        ("REAL", Family::Fraction),
        ("smallint", Family::Integer),
        ("integer", Family::Integer),
        ("bigint", Family::Integer),
        ("INTEGER", Family::Integer),
        ("boolean", Family::Boolean),
        ("BOOLEAN", Family::Boolean),
        ("bytea", Family::Bytes),
        ("BLOB", Family::Bytes),
        ("jsonb", Family::Jsonb),
        ("uuid", Family::Other),
        ("text", Family::Text),
        ("TEXT", Family::Text),
    ];
    let (sql_type, family) = types.into_iter().find(|(name, _)| bare.ends_with(name)).unwrap();
    Column {
        name: bare[..bare.len() - sql_type.len() - 1].to_owned(),
        sql_type: sql_type.to_owned(),
        family,
        not_null: flags.contains('!'),
        generated: flags.contains('='),
        folds: flags.contains('~'),
    }
}

/// All statements of a table, one after the other, each under its name.
fn statements(shape: Option<&Shape>, dialect: Dialect) -> String {
    let Some(shape) = shape else { return rendered(&Mapping::owned(), &Columns::owned(dialect), true) };
    let mapping = mapping_of(&format!("[[table]]\n{}", shape.mapping)).unwrap();
    let written = match dialect {
        Dialect::Postgres => shape.postgres,
        Dialect::Sqlite => shape.sqlite,
    };
    let locator = (shape.locator)(dialect);
    let columns = Columns {
        list: written.split('|').map(column).collect(),
        place: match (dialect, &locator) {
            (Dialect::Sqlite, Locator::Rowid(name)) => vec![(*name).to_owned()],
            (Dialect::Sqlite, Locator::Columns(columns)) => {
                columns.iter().map(|column| column.quoted(dialect)).collect()
            }
            _ => Vec::new(),
        },
        locator,
        key_is_unique: shape.key_is_unique,
        ..Columns::owned(dialect)
    };
    rendered(&mapping, &columns, false)
}

fn rendered(mapping: &Mapping, columns: &Columns, owned: bool) -> String {
    let mut out = String::new();
    for (number, walk) in mapping.walks().iter().enumerate() {
        let mut fragments = Fragments::new(mapping, columns, Some(walk));
        fragments.variation.leases_at = Some(Timestamp::from_micros(1_700_000_000_000_000));
        let plain = Catalogue::render(&fragments, TimeSource::Database).unwrap();
        fragments.variation.null_names = vec![mapping.key.len()];
        fragments.variation.narrowed = "(\"x\" = $9) AND ".to_owned();
        fragments.variation.unreferenced = " AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)".into();
        fragments.variation.planned = true;
        let varied = Catalogue::render(&fragments, TimeSource::Shifted(-5)).unwrap();
        for ((name, sql), (_, varied)) in plain.all().into_iter().zip(varied.all()) {
            if !owned && !Catalogue::is_for_any_table(name) {
                continue;
            }
            // The second walk differs in the statements of the purge alone.
            if number > 0 && !name.starts_with("purge") {
                continue;
            }
            writeln!(out, "-- {name}\n{}\n", sql.as_str()).unwrap();
            if varied.as_str() != sql.as_str() {
                writeln!(out, "-- {name}, varied\n{}\n", varied.as_str()).unwrap();
            }
            // Of names that look like binds.
            if mapping.key.len() > 1 {
                writeln!(out, "-- {name}, with NULLs\n{}\n", sql.with_nulls().as_str()).unwrap();
            }
        }
    }
    out
}

#[test]
fn every_statement_is_what_it_was() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/statements");
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        for shape in std::iter::once(None).chain(SHAPES.iter().map(Some)) {
            let name = shape.map_or("own", |shape| shape.name);
            let file = folder.join(format!("{name}.{}.sql", dialect.as_str()));
            let text = statements(shape, dialect);
            if std::env::var_os("IDEMCTL_BLESS").is_some() {
                std::fs::write(&file, text).unwrap();
                continue;
            }
            let expected = std::fs::read_to_string(&file).unwrap();
            for (was, is) in expected.lines().zip(text.lines()) {
                assert_eq!(was, is, "{}", file.display());
            }
            assert_eq!(expected.len(), text.len(), "{}", file.display());
        }
    }
}

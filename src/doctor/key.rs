//! Whether a key names one row, and whether two keys are ever taken for one.

use super::{Examination, Findings, Severity};
use crate::store::{ColumnFacts, Dialect, IndexFacts};
use crate::table::Ident;

/// A UUID as text. A narrower column can't hold what clients send.
const UUID_WIDTH: u64 = 36;
/// What clients may send.
const FULL_WIDTH: u64 = 255;

impl Examination<'_> {
    fn key_columns(&self) -> impl Iterator<Item = &Ident> {
        self.mapping().key.iter().chain(&self.mapping().scope)
    }

    fn same(&self, ident: &Ident, name: &str) -> bool {
        self.dialect().is_same_name(ident.as_str(), name)
    }

    fn is_named(&self, name: &str) -> bool {
        self.key_columns()
            .chain(self.mapping().guard.iter().map(|(column, _)| column))
            .any(|known| self.same(known, name))
    }

    /// Whether an index is on columns of the key, the scope and the guard alone.
    fn covers(&self, index: &IndexFacts) -> bool {
        index.unique
            && !index.partial
            && index.own
            && index.columns.iter().flatten().chain(&index.inside).all(|name| self.is_named(name))
    }

    fn listed(&self) -> String {
        self.key_columns().map(|column| self.store.column_sql(column)).collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn unique(examination: &Examination<'_>, findings: &mut Findings) {
    const CHECK: &str = "unique_key";
    let indexes = match &examination.indexes {
        Ok(indexes) => indexes,
        Err(error) => return findings.unknown(CHECK, error),
    };
    let columns = match &examination.columns {
        Ok(columns) => columns.as_slice(),
        Err(error) => {
            // Which of them may be NULL is not known.
            findings.unknown(CHECK, error);
            &[]
        }
    };
    let covering: Vec<&IndexFacts> = indexes.iter().filter(|index| examination.covers(index)).collect();
    let usable: Vec<&&IndexFacts> = covering.iter().filter(|index| index.usable).collect();
    let by_rowid = examination.dialect().has_row_numbers()
        && !examination.mapping().is_owned()
        && examination.store.key_is_unique();
    if usable.is_empty() && !by_rowid {
        let of_no_use = match covering.first() {
            Some(index) => format!("; {} would, but it is INVALID", index.sql),
            None => String::new(),
        };
        let mut fix = vec![format!(
            "SELECT {listed}, count(*) FROM {table} GROUP BY {listed} HAVING count(*) > 1;",
            listed = examination.listed(),
            table = examination.store.table_sql()
        )];
        fix.extend(examination.build_index(true, "key", &examination.listed(), ""));
        return findings.add(
            Severity::Error,
            (CHECK, "key_not_unique"),
            format!("no unique index covers {}{of_no_use}", examination.listed()),
            "Two requests with the same key that arrive together can both be executed: nothing in the database \
             keeps the second row out. Release, fail and forget are refused, as a key may name several rows. \
             The first statement below shows keys that already have several.",
            fix,
        );
    }
    let scope = &examination.mapping().scope;
    let without_scope = usable.iter().find(|index| {
        let mut columns = index.columns.iter().flatten().chain(&index.inside);
        !scope.is_empty() && !columns.any(|name| scope.iter().any(|column| examination.same(column, name)))
    });
    if let Some(index) = without_scope {
        findings.add(
            Severity::Warning,
            (CHECK, "scope_not_in_key"),
            format!("{} is unique on the key alone, without the scope", index.sql),
            "Two tenants that choose the same key are one to the database: the second one's request is refused \
             or, worse, gets the first one's answer.",
            examination.build_index(true, "key", &examination.listed(), ""),
        );
    }
    let repeats = |index: &IndexFacts| {
        !index.nulls_equal
            && index.columns.iter().flatten().any(|name| {
                examination.key_columns().any(|column| {
                    examination.same(column, name)
                        && examination.column(columns, column).is_some_and(|column| !column.not_null)
                })
            })
    };
    if !usable.is_empty() && usable.iter().all(|index| repeats(index)) {
        let parts: Vec<String> = examination
            .key_columns()
            .map(|column| match examination.column(columns, column) {
                Some(found) if !found.not_null => {
                    format!("COALESCE(CAST({} AS text), '')", examination.store.column_sql(column))
                }
                _ => examination.store.column_sql(column),
            })
            .collect();
        findings.add(
            Severity::Error,
            (CHECK, "key_nulls_repeat"),
            format!("{} counts two NULLs as different", usable[0].sql),
            "A key whose scope is NULL can be there twice, and both requests are executed.",
            examination.build_index(true, "key", &parts.join(", "), ""),
        );
    }
    if !usable.is_empty() && usable.iter().all(|index| index.deferrable) {
        findings.add(
            Severity::Warning,
            (CHECK, "key_deferrable"),
            format!("{} is deferrable", usable[0].sql),
            "It is asked when a transaction ends, and ON CONFLICT can't use it: a claim learns too late that \
             another one was first.",
            examination.build_index(true, "key", &examination.listed(), ""),
        );
    }
    if findings.is_silent_on(CHECK) {
        let by = usable.first().map_or("the primary key", |index| index.sql.as_str());
        findings.ok(CHECK, format!("{by} covers {}", examination.listed()));
    }
}

/// Width, collation and padding of the key's and the scope's columns.
pub(super) fn texts(examination: &Examination<'_>, findings: &mut Findings) {
    const CHECK: &str = "key_texts";
    let (columns, indexes) = match (&examination.columns, &examination.indexes) {
        (Ok(columns), Ok(indexes)) => (columns.as_slice(), indexes.as_slice()),
        (Ok(columns), Err(_)) if examination.dialect().columns_tell_collations() => {
            (columns.as_slice(), &[][..])
        }
        (Err(error), _) | (_, Err(error)) => return findings.unknown(CHECK, error),
    };
    let collations: Vec<(String, String)> = indexes
        .iter()
        .filter(|index| examination.covers(index))
        .flat_map(|index| index.columns.iter().zip(&index.collations))
        .filter_map(|(column, collation)| Some((column.clone()?, collation.clone()?)))
        .collect();
    for ident in examination.key_columns() {
        let Some(column) = examination.column(columns, ident) else { continue };
        let sql = examination.store.column_sql(ident);
        let collated =
            collations.iter().find(|(name, _)| examination.same(ident, name)).map(|(_, how)| how.as_str());
        if folds(column) || collated == Some("NOCASE") {
            let how = match (&column.collation, collated) {
                _ if column.base == "citext" => "citext",
                (_, Some(how)) => how,
                (Some(how), _) => how.as_str(),
                _ => "a collation of its own",
            };
            findings.add(
                Severity::Error,
                (CHECK, "key_case_folded"),
                format!("{sql} compares by {how}: different texts count as the same"),
                "Two clients whose keys differ in case or accents are one to the database: the second one gets \
                 the first one's answer.",
                match examination.dialect() {
                    Dialect::Postgres => vec![format!(
                        "ALTER TABLE {} ALTER COLUMN {sql} TYPE text COLLATE \"C\";  -- locks and rewrites the table",
                        examination.store.table_sql()
                    )],
                    Dialect::Sqlite => vec!["make the table anew with COLLATE BINARY on this column".to_owned()],
                },
            );
        }
        if column.base == "bpchar" || collated == Some("RTRIM") {
            findings.add(
                Severity::Warning,
                (CHECK, "key_padded"),
                format!("{sql} ({}) pads texts with spaces, or ignores spaces at their end", column.declared),
                "`k1` and `k1 ` are the same key to the database. A fingerprint or a log that has the key as \
                 the client sent it does not compare with what is stored.",
                match examination.dialect() {
                    Dialect::Postgres => vec![format!(
                        "ALTER TABLE {} ALTER COLUMN {sql} TYPE text;  -- locks and rewrites the table",
                        examination.store.table_sql()
                    )],
                    Dialect::Sqlite => {
                        vec!["make the table anew with COLLATE BINARY on this column".to_owned()]
                    }
                },
            );
        }
        if let Some(width) = column.width.filter(|width| *width < FULL_WIDTH)
            && examination.mapping().key.contains(ident)
            && column.base != "bpchar"
        {
            findings.add(
                if width < UUID_WIDTH { Severity::Warning } else { Severity::Info },
                (CHECK, "key_narrow"),
                format!("{sql} holds {width} characters"),
                "Clients may send keys of up to 255 characters (a UUID has 36). A longer one is an error in \
                 the database, unless the application refuses it before.",
                vec![format!(
                    "ALTER TABLE {} ALTER COLUMN {sql} TYPE varchar(255);",
                    examination.store.table_sql()
                )],
            );
        }
    }
    if findings.is_silent_on(CHECK) {
        let types: Vec<String> = examination
            .key_columns()
            .filter_map(|ident| Some(format!("{} {}", ident, examination.column(columns, ident)?.declared)))
            .collect();
        findings.ok(CHECK, format!("{}: different texts are different keys", types.join(", ")));
    }
}

fn folds(column: &ColumnFacts) -> bool {
    !column.deterministic || column.base == "citext"
}

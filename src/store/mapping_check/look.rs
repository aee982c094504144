//! What the check looks at: the columns and the unique keys, as the catalogue has them.

use super::mismatch;
use crate::store::{Dialect, Purpose, Store, StoreError, Value, VisibilityFlags};
use crate::table::{Column, Columns, Family, Ident, Locator, Mapping};

pub(super) async fn look(store: &Store, mapping: &Mapping) -> Result<Columns, StoreError> {
    let dialect = store.dialect();
    let schema = mapping.name.schema.as_ref().map(Ident::as_str);
    let name: Value = match dialect {
        Dialect::Postgres => mapping.name.quoted(dialect).into(),
        Dialect::Sqlite => mapping.name.name.as_str().into(),
    };
    let mut transaction = store.backend.begin(Purpose::Read).await?;
    let of_columns: &[Value] = match dialect {
        Dialect::Postgres => std::slice::from_ref(&name),
        Dialect::Sqlite => &[name.clone(), schema.into()],
    };
    let rows = transaction.fetch(&store.sql.table_columns, of_columns).await?;
    let of_uniques = transaction.fetch(&store.sql.table_uniques, &[name]).await?;
    transaction.commit().await?;

    let mut kind = String::new();
    let mut list = Vec::new();
    let mut primary_key = Vec::new();
    let mut flags = VisibilityFlags::default();
    for mut row in rows {
        kind = row.some_text()?;
        let name = row.some_text()?;
        let sql_type = row.some_text()?;
        let type_name = row.some_text()?;
        let category = row.some_text()?;
        let family = match dialect {
            Dialect::Postgres => postgres_family(&type_name, &category),
            Dialect::Sqlite => sqlite_family(&type_name),
        };
        let not_null = row.some_bool()?;
        let generated = row.some_bool()?;
        let folds = row.some_bool()?;
        if let Some(place) = row.int()?.filter(|place| *place > 0) {
            primary_key.push((place, name.clone()));
        }
        flags = VisibilityFlags::read(&mut row)?;
        list.push(Column { name, sql_type, family, not_null, generated, folds });
    }
    if list.is_empty() {
        return Err(mismatch(mapping, "table.name", format!("{} has no such table", store.target())));
    }
    primary_key.sort();
    let mut uniques: Vec<Unique> = Vec::new();
    for mut row in of_uniques {
        let index = row.some_int()?;
        let column = row.text()?;
        let nulls_are_equal = row.some_bool()?;
        let predicate = row.text()?;
        match uniques.last_mut().filter(|last| last.index == index) {
            Some(last) => last.columns.push(column),
            None => uniques.push(Unique { index, columns: vec![column], nulls_are_equal, predicate }),
        }
    }
    let primary_key: Vec<String> = primary_key.into_iter().map(|(_, name)| name).collect();
    if !primary_key.is_empty() {
        uniques.push(Unique {
            index: -1,
            columns: primary_key.iter().cloned().map(Some).collect(),
            nulls_are_equal: false,
            predicate: None,
        });
    }
    let named = |column: &str| {
        let mut names =
            mapping.key.iter().chain(&mapping.scope).chain(mapping.guard.iter().map(|(column, _)| column));
        names.any(|name| match dialect {
            Dialect::Postgres => name.as_str() == column,
            Dialect::Sqlite => name.as_str().eq_ignore_ascii_case(column),
        })
    };
    uniques.retain(|unique| unique.columns.iter().all(|column| column.as_deref().is_some_and(named)));
    let holds_null = |name: &str| list.iter().any(|column: &Column| column.name == name && !column.not_null);
    // An index of the parent says nothing of the rows of those that inherit from it.
    let key_is_unique = kind != "i" && names_single_rows(&uniques, &holds_null);
    let primary_key = primary_key
        .into_iter()
        .map(Ident::new)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| StoreError::corrupt(error.to_string()))?;
    let locator = match (dialect, kind.as_str()) {
        (Dialect::Postgres, kind) => Locator::Ctid { children: matches!(kind, "p" | "i") },
        (Dialect::Sqlite, "table") => {
            let free = |name: &&str| !list.iter().any(|column| column.name.eq_ignore_ascii_case(name));
            match ["rowid", "_rowid_", "oid"].into_iter().find(free) {
                Some(name) => Locator::Rowid(name),
                None => Locator::Columns(primary_key.clone()),
            }
        }
        (Dialect::Sqlite, _) => Locator::Columns(primary_key.clone()),
    };
    let locator = match locator {
        Locator::Columns(columns) if columns.is_empty() && mapping.locator.is_empty() && kind == "table" => {
            let guards = mapping.guard.iter().map(|(column, _)| column);
            let names: Vec<Ident> = mapping.key.iter().chain(&mapping.scope).chain(guards).cloned().collect();
            if !key_is_unique || names.iter().any(|name| holds_null(name.as_str())) {
                let what = "nothing names a single row: columns hide all names of the row number, and there is no \
                            primary key; say which columns are unique together";
                return Err(mismatch(mapping, "table.locator", what));
            }
            Locator::Columns(names)
        }
        locator => locator,
    };
    let place = match (dialect, &locator) {
        (Dialect::Sqlite, Locator::Rowid(name)) => vec![(*name).to_owned()],
        (Dialect::Sqlite, Locator::Columns(columns))
            if columns.iter().all(|name| !holds_null(name.as_str())) =>
        {
            columns.iter().map(|column| column.quoted(dialect)).collect()
        }
        _ => Vec::new(),
    };
    let read_only = match kind.as_str() {
        "v" | "view" => Some("a view"),
        "m" => Some("a materialized view"),
        "f" => Some("a foreign table"),
        "virtual" | "shadow" => Some("a virtual table"),
        _ => None,
    };
    // What is only looked at has nothing of its own that names a row.
    let key_is_unique = key_is_unique || read_only.is_some();
    Ok(Columns {
        dialect,
        list,
        locator,
        place,
        key_is_unique,
        read_only,
        fail_problem: None,
        release_problem: None,
        misfits: Vec::new(),
        flags,
    })
}

/// A unique index.
pub(super) struct Unique {
    index: i64,
    /// `None` for an expression of which nothing is known.
    columns: Vec<Option<String>>,
    /// NULL is a value as any other.
    nulls_are_equal: bool,
    /// The condition of a partial one.
    predicate: Option<String>,
}

/// Whether no two rows can have the same values in the columns of these indexes, NULLs included: one holds
/// for all rows, or one for those where a column is NULL and another one for the others.
pub(super) fn names_single_rows(uniques: &[Unique], holds_null: &dyn Fn(&str) -> bool) -> bool {
    let holds = |unique: &Unique, but_for: Option<&str>| {
        unique.nulls_are_equal
            || unique.columns.iter().flatten().all(|name| Some(name.as_str()) == but_for || !holds_null(name))
    };
    uniques.iter().any(|unique| match &unique.predicate {
        None => holds(unique, None),
        Some(predicate) => null_condition(predicate).is_some_and(|(column, is_null)| {
            is_null
                && holds(unique, Some(&column))
                && uniques.iter().any(|other| {
                    let condition = other.predicate.as_deref().and_then(null_condition);
                    condition.is_some_and(|(name, null)| name == column && !null)
                        && holds(other, Some(&column))
                })
        }),
    })
}

/// Reads `column IS NULL` and `column IS NOT NULL`, as a catalogue writes the conditions of partial indexes,
/// or at the end of the statement that made one: the column, and whether it is the former.
pub(super) fn null_condition(text: &str) -> Option<(String, bool)> {
    // In the statement's own words a name may come between; only the last condition counts.
    let at = text.to_ascii_uppercase().rfind(" WHERE ").map_or(0, |at| at + " WHERE ".len());
    let condition = text[at..].trim().trim_matches(['(', ')']).trim();
    let upper = condition.to_ascii_uppercase();
    let (length, is_null) =
        [(" IS NOT NULL", false), (" NOTNULL", false), (" IS NULL", true), (" ISNULL", true)]
            .into_iter()
            .find_map(|(words, is_null)| upper.strip_suffix(words).map(|rest| (rest.len(), is_null)))?;
    let name = condition[..length].trim().trim_matches(['(', ')']);
    let quoted = |open: char, close: char| name.strip_prefix(open).and_then(|name| name.strip_suffix(close));
    let name = quoted('"', '"').or_else(|| quoted('`', '`')).or_else(|| quoted('[', ']')).unwrap_or(name);
    // Anything but a plain name is a condition that we do not understand.
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_plain.then(|| (name.to_owned(), is_null))
}

pub(in crate::store) fn postgres_family(type_name: &str, category: &str) -> Family {
    match (type_name, category) {
        ("int2" | "int4" | "int8", _) => Family::Integer,
        ("numeric" | "float4" | "float8", _) => Family::Fraction,
        ("bool", _) => Family::Boolean,
        ("timestamptz", _) => Family::Timestamptz,
        ("timestamp", _) => Family::Timestamp,
        ("bytea", _) => Family::Bytes,
        ("json", _) => Family::Json,
        ("jsonb", _) => Family::Jsonb,
        // Types of which every text is a value, compared as it stands.
        ("text" | "varchar", _) => Family::Text,
        _ => Family::Other,
    }
}

/// As SQLite's rules for affinity read a declared type, but for the names that say more to people.
pub(in crate::store) fn sqlite_family(declared: &str) -> Family {
    let declared = declared.to_ascii_uppercase();
    let says = |word: &str| declared.contains(word);
    if says("INT") {
        Family::Integer
    } else if says("CHAR") || says("CLOB") || says("TEXT") {
        Family::Text
    } else if says("JSONB") {
        Family::Jsonb
    } else if says("BLOB") || declared.is_empty() {
        Family::Bytes
    } else if says("BOOL") {
        Family::Boolean
    } else if says("JSON") {
        Family::Json
    } else {
        // REAL, NUMERIC, DATETIME, TIMESTAMP: whatever was stored.
        Family::Fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_partial_indexes_are_read() {
        for (text, wanted) in [
            ("(tenant IS NULL)", Some(("tenant", true))),
            ("(\"Tenant\" IS NOT NULL)", Some(("Tenant", false))),
            ("CREATE UNIQUE INDEX i ON t (k) where tenant is null", Some(("tenant", true))),
            ("CREATE UNIQUE INDEX i ON t (k, tenant) WHERE `tenant` NOTNULL", Some(("tenant", false))),
            ("((tenant IS NULL) AND (gone IS NULL))", None),
            ("(lower(tenant) IS NULL)", None),
            ("(tenant = 'a IS NULL')", None),
            ("", None),
        ] {
            let wanted = wanted.map(|(name, is_null)| (name.to_owned(), is_null));
            assert_eq!(null_condition(text), wanted, "{text}");
        }
    }

    #[test]
    fn only_a_pair_of_partial_indexes_covers_all_rows() {
        let unique = |index, columns: &[&str], predicate: Option<&str>| Unique {
            index,
            columns: columns.iter().map(|name| Some((*name).to_owned())).collect(),
            nulls_are_equal: false,
            predicate: predicate.map(str::to_owned),
        };
        let holds_null = |name: &str| name == "s" || name == "o";
        let unique_by = |uniques: &[Unique]| names_single_rows(uniques, &holds_null);
        assert!(unique_by(&[unique(0, &["k"], None)]));
        assert!(!unique_by(&[unique(0, &["k", "s"], None)]));
        assert!(unique_by(&[Unique { nulls_are_equal: true, ..unique(0, &["k", "s"], None) }]));
        let with = unique(1, &["k", "s"], Some("(s IS NOT NULL)"));
        let without = unique(0, &["k"], Some("(s IS NULL)"));
        assert!(!unique_by(&[unique(0, &["k"], Some("(s IS NULL)"))]));
        assert!(!unique_by(&[unique(1, &["k", "s"], Some("(s IS NOT NULL)"))]));
        assert!(unique_by(&[without, with]));
        assert!(!unique_by(&[
            unique(0, &["k"], Some("(s IS NULL)")),
            unique(1, &["k", "s"], Some("(o IS NOT NULL)"))
        ]));
        assert!(!unique_by(&[
            unique(0, &["k"], Some("(s IS NULL)")),
            unique(1, &["k", "s", "o"], Some("(s IS NOT NULL)"))
        ]));
    }
}

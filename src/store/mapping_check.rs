//! Whether a mapping fits the real table: every column is there, every type fits its encoding, and what
//! names a row is known. Asked once, before any row is touched.

use super::{Dialect, ErrorKind, Purpose, Store, StoreError, Value, VisibilityFlags};
use crate::protocol::{Span, Status};
use crate::table::{
    Clock, Clocks, Column, Columns, Encoding, Family, Ident, Literal, Locator, Mapping, Mark, Meaning,
    Misfit, Shown, StateShape, WriteRule,
};

/// Looks at the table and compares it with its mapping. The mapping comes back without the clocks and shown
/// columns that do not fit.
pub(super) async fn columns(store: &Store, mapping: &Mapping) -> Result<(Columns, Mapping), StoreError> {
    let mut columns = look(store, mapping).await?;
    Problems { mapping, columns: &columns }.check()?;
    let (misfits, fitting) = Problems { mapping, columns: &columns }.misfits();
    let problems = Problems { mapping: &fitting, columns: &columns };
    let rule = |setting: &str, rule: &Option<WriteRule>| problems.rule(setting, rule.as_ref()).err();
    let fail_problem = rule("table.fail", &mapping.fail).or_else(|| problems.still_in_progress());
    let release_problem = rule("table.release", &mapping.release).or_else(|| problems.still_failed());
    columns.fail_problem = fail_problem.map(|problem| problem.to_string());
    columns.release_problem = release_problem.map(|problem| problem.to_string());
    columns.misfits = misfits;
    if !mapping.locator.is_empty() {
        columns.locator = Locator::Columns(mapping.locator.clone());
    }
    Ok((columns, fitting))
}

/// A problem of the mapping, with the setting that has it.
fn mismatch(mapping: &Mapping, setting: &str, what: impl std::fmt::Display) -> StoreError {
    StoreError::new(
        ErrorKind::Mapping,
        format!("the mapping of {} does not fit: `{setting}`: {what}", mapping.name),
    )
}

async fn look(store: &Store, mapping: &Mapping) -> Result<Columns, StoreError> {
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
struct Unique {
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
fn names_single_rows(uniques: &[Unique], holds_null: &dyn Fn(&str) -> bool) -> bool {
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
fn null_condition(text: &str) -> Option<(String, bool)> {
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

pub(super) fn postgres_family(type_name: &str, category: &str) -> Family {
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
pub(super) fn sqlite_family(declared: &str) -> Family {
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

/// Finds the first setting that does not fit.
struct Problems<'a> {
    mapping: &'a Mapping,
    columns: &'a Columns,
}

impl Problems<'_> {
    fn check(&self) -> Result<(), StoreError> {
        let Mapping { key, scope, locator, guard, clocks, .. } = self.mapping;
        for (setting, columns) in [("key", key), ("scope", scope), ("locator", locator)] {
            for column in columns {
                self.column(setting, column)?;
            }
        }
        for (column, value) in guard {
            self.literal("guard", column, value)?;
        }
        self.state()?;
        if let Some(ttl) = clocks.ttl
            && let Err(error) = Span::new(ttl)
        {
            return Err(mismatch(self.mapping, "table.clock.ttl", error));
        }
        Ok(())
    }

    /// The clocks and shown columns that do not fit, and the mapping without them.
    fn misfits(&self) -> (Vec<Misfit>, Mapping) {
        let (mut misfits, mut fitting) = (Vec::new(), self.mapping.clone());
        let mut fits = |setting: &'static str, fit: Result<(), StoreError>| match fit {
            Ok(()) => true,
            Err(error) => {
                misfits.push(Misfit { setting, problem: error.to_string() });
                false
            }
        };
        let Clocks { created, claimed, renewed, lease, finished, expires, ttl: _, aged } =
            &mut fitting.clocks;
        for (setting, clock) in [
            ("table.clock.created", created),
            ("table.clock.claimed", claimed),
            ("table.clock.alive", renewed),
            ("table.clock.lease", lease),
            ("table.clock.finished", finished),
        ] {
            clock.take_if(|clock| !fits(setting, self.clock(setting, clock)));
        }
        let setting = "table.clock.expires";
        if expires.take_if(|clock| !fits(setting, self.clock(setting, clock))).is_some() {
            *aged = None;
        }
        let Shown { snapshot, attempt, .. } = &mut fitting.shown;
        let setting = "table.show.response";
        snapshot.take_if(|snapshot| !fits(setting, self.column(setting, &snapshot.column).map(|_| ())));
        let setting = "table.show.attempt";
        attempt.take_if(|attempt| !fits(setting, self.attempt(setting, attempt)));
        let Shown {
            request_hash,
            response_status,
            response_headers,
            response_body,
            response_ref,
            owner,
            failure,
            // Of our own table alone, or looked at already.
            response_bytes: _,
            token: _,
            retry_allowed: _,
            snapshot: _,
            attempt: _,
        } = &mut fitting.shown;
        for (setting, column) in [
            ("table.show.request_hash", request_hash),
            ("table.show.response_status", response_status),
            ("table.show.response_headers", response_headers),
            ("table.show.response_body", response_body),
            ("table.show.response_ref", response_ref),
            ("table.show.owner", owner),
            ("table.show.failure", failure),
        ] {
            column.take_if(|column| !fits(setting, self.column(setting, column).map(|_| ())));
        }
        (misfits, fitting)
    }

    fn attempt(&self, setting: &str, column: &Ident) -> Result<(), StoreError> {
        let found = self.column(setting, column)?;
        if found.family == Family::Integer {
            Ok(())
        } else {
            Err(self.wrong_type(setting, found, "a whole number"))
        }
    }

    fn column(&self, setting: &str, name: &Ident) -> Result<&Column, StoreError> {
        self.columns.get(name).ok_or_else(|| {
            let names = self.columns.list.iter().map(|column| column.name.as_str());
            let nearest = names
                .map(|known| (similarity(known, name.as_str()), known))
                .filter(|(similarity, _)| *similarity > 0)
                .max();
            let nearest = nearest.map(|(_, known)| format!("; the nearest is {known:?}")).unwrap_or_default();
            mismatch(self.mapping, setting, format!("the table has no column {:?}{nearest}", name.as_str()))
        })
    }

    fn wrong_type(&self, setting: &str, column: &Column, wanted: &str) -> StoreError {
        let declared = if column.sql_type.is_empty() { "without a type" } else { &column.sql_type };
        mismatch(self.mapping, setting, format!("the column {:?} is {declared}, not {wanted}", column.name))
    }

    fn state(&self) -> Result<(), StoreError> {
        match &self.mapping.state.shape {
            StateShape::Column { column, in_progress, completed, failed, keep, .. } => {
                for value in in_progress.iter().chain(completed).chain(failed).chain(keep) {
                    self.literal("table.state.column", column, value)?;
                }
                self.column("table.state.column", column)?;
            }
            StateShape::NullMeansInProgress(columns) => {
                for column in columns {
                    let found = self.column("table.state.null_means_in_progress", column)?;
                    if found.not_null {
                        return Err(mismatch(
                            self.mapping,
                            "table.state.null_means_in_progress",
                            format!("the column {:?} never holds NULL", found.name),
                        ));
                    }
                }
            }
            StateShape::Always(_) => {}
        }
        self.mapping.state.marks.iter().try_for_each(|mark| self.mark(mark))
    }

    fn mark(&self, mark: &Mark) -> Result<(), StoreError> {
        const SETTING: &str = "table.state.set_means_in_progress";
        let found = self.column(SETTING, &mark.column)?;
        for value in &mark.unset {
            self.literal(SETTING, &mark.column, value)?;
        }
        if found.not_null && found.family != Family::Boolean && mark.unset.is_empty() {
            return Err(mismatch(
                self.mapping,
                SETTING,
                format!(
                    "the column {name:?} never holds NULL: every row would be in progress. Say which values mean that \
                     it is not set: {{ column = {name:?}, unset = [0] }}",
                    name = found.name
                ),
            ));
        }
        Ok(())
    }

    /// Whether a value of the mapping can be one of the column's.
    fn literal(&self, setting: &str, column: &Ident, value: &Literal) -> Result<(), StoreError> {
        let found = self.column(setting, column)?;
        let fits = match (found.family, value) {
            (Family::Integer, Literal::Text(text)) => text.trim().parse::<i64>().is_ok(),
            (Family::Integer, Literal::Int(_)) => true,
            (Family::Integer, Literal::Bool(_)) => self.columns.dialect.flags_are_numbers(),
            (Family::Boolean, Literal::Text(text)) => {
                self.columns.dialect.reads_flags_from_text() && matches!(text.as_str(), "true" | "false")
            }
            (Family::Boolean, Literal::Int(_)) => self.columns.dialect.flags_are_numbers(),
            _ => true,
        };
        if fits {
            return Ok(());
        }
        Err(mismatch(
            self.mapping,
            setting,
            format!("the column {:?} is {}: it can't hold {value}", found.name, found.sql_type),
        ))
    }

    fn clock(&self, setting: &str, clock: &Clock) -> Result<(), StoreError> {
        let found = self.column(setting, &clock.column)?;
        let (fits, wanted) = match (clock.encoding, self.columns.dialect) {
            (Encoding::Timestamptz, Dialect::Postgres) => {
                (found.family == Family::Timestamptz, "timestamp with time zone")
            }
            (Encoding::Naive(_), Dialect::Postgres) => {
                (found.family == Family::Timestamp, "timestamp without time zone")
            }
            (Encoding::Timestamptz | Encoding::Naive(_), Dialect::Sqlite) => {
                (false, "a type that SQLite has: use epoch_s, epoch_ms, epoch_us or { text = … }")
            }
            (Encoding::Epoch(_), Dialect::Postgres) => {
                (matches!(found.family, Family::Integer | Family::Fraction), "a number")
            }
            (Encoding::Epoch(_), Dialect::Sqlite) => (found.family != Family::Text, "a number"),
            (Encoding::Text(_), Dialect::Postgres) => {
                (found.family == Family::Text || found.sql_type == "bpchar", "text")
            }
            (Encoding::Text(_), Dialect::Sqlite) => (found.family != Family::Integer, "text"),
        };
        if fits {
            return Ok(());
        }
        Err(self.wrong_type(&format!("{setting}.as = {}", clock.encoding), found, wanted))
    }

    fn rule(&self, setting: &str, rule: Option<&WriteRule>) -> Result<(), StoreError> {
        let Some(WriteRule::Set { values, null, now }) = rule else { return Ok(()) };
        for (column, value) in values {
            self.literal(&format!("{setting}.set"), column, value)?;
            self.writable(&format!("{setting}.set"), column)?;
        }
        for column in null {
            self.writable(&format!("{setting}.set_null"), column)?;
            let found = self.column(&format!("{setting}.set_null"), column)?;
            if found.not_null {
                return Err(mismatch(
                    self.mapping,
                    &format!("{setting}.set_null"),
                    format!("the column {:?} takes no NULL", found.name),
                ));
            }
        }
        for column in now {
            let setting = format!("{setting}.set_now");
            self.writable(&setting, column)?;
            let found = self.column(&setting, column)?;
            let is_clock = self.mapping.read_clocks().flatten().any(|clock| clock.column == *column);
            if !is_clock && (found.family != Family::Timestamptz || !self.columns.dialect.has_moments()) {
                return Err(mismatch(
                    self.mapping,
                    &setting,
                    format!(
                        "nothing says how the column {:?} is written; name it in table.clock",
                        found.name
                    ),
                ));
            }
        }
        Ok(())
    }

    /// A fail rule must leave the row in another state: what stays in progress would be taken again by every
    /// pass, and said to have failed.
    fn still_in_progress(&self) -> Option<StoreError> {
        let Some(WriteRule::Set { values, null, now }) = &self.mapping.fail else { return None };
        let value_of = |column: &Ident| {
            values.iter().find_map(|(set, value)| self.is_column(set, column).then_some(value))
        };
        let holds = |list: &[Ident], column: &Ident| list.iter().any(|set| self.is_column(set, column));
        let stays = |what: String| {
            Some(mismatch(
                self.mapping,
                "table.fail",
                format!("{what}; the row would be in progress for ever"),
            ))
        };
        let by_shape = match &self.mapping.state.shape {
            // Nothing but the marks says it.
            shape if !shape.has(Status::InProgress) => None,
            StateShape::Column { column, in_progress, completed, failed, keep, null: of_null } => {
                let known = |value: &Literal, list: &[Literal]| list.iter().any(|one| one.is_same(value));
                match value_of(column) {
                    Some(value) if known(value, failed) || known(value, completed) || known(value, keep) => {
                        None
                    }
                    Some(value) if known(value, in_progress) => {
                        stays(format!("it sets {:?} to {value}, which means in progress", column.as_str()))
                    }
                    Some(value) => Some(mismatch(
                        self.mapping,
                        "table.fail",
                        format!(
                            "it sets {:?} to {value}, which `table.state` does not list",
                            column.as_str()
                        ),
                    )),
                    None if holds(null, column) => match of_null {
                        Some(Meaning::Kept | Meaning::Status(Status::Completed | Status::Failed)) => None,
                        Some(Meaning::Status(Status::InProgress)) => {
                            stays(format!("it sets {:?} to NULL, which means in progress", column.as_str()))
                        }
                        None => Some(mismatch(
                            self.mapping,
                            "table.fail",
                            format!(
                                "it sets {:?} to NULL, which `table.state` does not list",
                                column.as_str()
                            ),
                        )),
                    },
                    None => stays(format!("it does not change the state, {:?}", column.as_str())),
                }
            }
            StateShape::NullMeansInProgress(columns) => {
                let is_set = |column: &Ident| value_of(column).is_some() || holds(now, column);
                if columns.iter().any(is_set) {
                    return None;
                }
                let names: Vec<&str> = columns.iter().map(Ident::as_str).collect();
                stays(format!("it leaves NULL in {}", names.join(", ")))
            }
            StateShape::Always(Status::InProgress) => {
                stays("every row is in progress (`table.state.always`), and it does not delete".to_owned())
            }
            StateShape::Always(_) => None,
        };
        let clears = |mark: &Mark| match value_of(&mark.column) {
            Some(value) if mark.unset.is_empty() => {
                value.is_same(&Literal::Bool(false)) && self.is_flag(&mark.column)
            }
            Some(value) => mark.unset.iter().any(|unset| unset.is_same(value)),
            None => holds(null, &mark.column),
        };
        by_shape.or_else(|| {
            let mark = self.mapping.state.marks.iter().find(|mark| !clears(mark))?;
            stays(format!(
                "it leaves {:?} set, which means in progress (`table.state.set_means_in_progress`)",
                mark.column.as_str()
            ))
        })
    }

    fn is_flag(&self, column: &Ident) -> bool {
        self.columns.family(column) == Some(Family::Boolean)
    }

    /// A release rule must change something: a row that stays failed as it was is not released.
    fn still_failed(&self) -> Option<StoreError> {
        let Some(WriteRule::Set { values, null, now }) = &self.mapping.release else { return None };
        let StateShape::Column { column, failed, null: of_null, .. } = &self.mapping.state.shape else {
            return None;
        };
        let stays = |value: &Literal| matches!(failed.as_slice(), [one] if one.is_same(value) && *of_null != Some(Meaning::Status(Status::Failed)));
        let is_nothing = match (values.as_slice(), null.is_empty() && now.is_empty()) {
            ([(set, value)], true) => self.is_column(set, column) && stays(value),
            _ => false,
        };
        is_nothing.then(|| {
            mismatch(
                self.mapping,
                "table.release",
                format!(
                    "it sets {:?} to the failed state that the row has: nothing changes",
                    column.as_str()
                ),
            )
        })
    }

    /// SQLite's names are the same in upper and lower case.
    fn is_column(&self, one: &Ident, other: &Ident) -> bool {
        match self.columns.dialect {
            Dialect::Postgres => one == other,
            Dialect::Sqlite => one.as_str().eq_ignore_ascii_case(other.as_str()),
        }
    }

    fn writable(&self, setting: &str, column: &Ident) -> Result<(), StoreError> {
        let found = self.column(setting, column)?;
        if found.generated {
            return Err(mismatch(
                self.mapping,
                setting,
                format!("the column {:?} is computed by the database", found.name),
            ));
        }
        Ok(())
    }
}

/// How many letters two names begin or end with alike; 0 where that is less than half of the longer one.
fn similarity(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let start = same(&mut a.chars(), &mut b.chars());
    let end = same(&mut a.chars().rev(), &mut b.chars().rev());
    let longer = a.chars().count().max(b.chars().count());
    let alike = (start + end).min(longer);
    if alike * 2 >= longer { alike } else { 0 }
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

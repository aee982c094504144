//! From a `[[table]]` as it is written to the mapping; what can't be is said with the setting's name.

use std::collections::BTreeMap;

use super::{
    ClockColumn, ClockConfig, ExpiredConfig, FailedConfig, MarkColumn, NameList, NullExpires, NullName,
    RuleConfig, Scalar, StateConfig, StateName, TableConfig,
};
use crate::protocol::Status;
use crate::table::{
    ClaimRules, Clock, Clocks, ExpiredRule, FailedRule, Ident, Literal, Mapping, Mark, Meaning, Shown,
    Snapshot, StateMapping, StateShape, TableName, WriteRule,
};

/// What is wrong with a mapping, beginning with the setting.
pub(super) type Wrong = String;

pub(super) fn ident(setting: &str, name: &str) -> Result<Ident, Wrong> {
    Ident::new(name).map_err(|error| format!("`{setting}`: {error}"))
}

pub(super) fn idents(setting: &str, names: &NameList) -> Result<Vec<Ident>, Wrong> {
    let found: Vec<Ident> = names.0.iter().map(|name| ident(setting, name)).collect::<Result<_, _>>()?;
    for (index, name) in found.iter().enumerate() {
        if found[..index].contains(name) {
            return Err(format!("`{setting}` has the column {:?} twice", name.as_str()));
        }
    }
    Ok(found)
}

pub(super) fn maybe_ident(setting: &str, name: Option<&String>) -> Result<Option<Ident>, Wrong> {
    name.map(|name| ident(setting, name)).transpose()
}

/// A schema and a table, with a dot between them; a part that holds a dot itself stands in double
/// quotes, in which a quote is written twice.
pub(super) fn table_name(text: &str) -> Result<TableName, Wrong> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(mut quoted) => {
                let mut part = String::new();
                loop {
                    let (text, after) = quoted.split_once('"').ok_or("`name`: a quote is not closed")?;
                    part.push_str(text);
                    match after.strip_prefix('"') {
                        Some(after) => {
                            part.push('"');
                            quoted = after;
                        }
                        None => break (part, after),
                    }
                }
            }
            None => {
                let (part, after) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
                (part.to_owned(), after)
            }
        };
        parts.push(part);
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None if after.is_empty() => break,
            None => return Err("`name`: something follows a closing quote".to_owned()),
        }
    }
    match parts.as_slice() {
        [name] => Ok(TableName { schema: None, name: ident("name", name)? }),
        [schema, name] => Ok(TableName { schema: Some(ident("name", schema)?), name: ident("name", name)? }),
        _ => {
            Err("`name` has more than a schema and a table; a name with a dot in it stands in double quotes"
                .to_owned())
        }
    }
}

impl TableConfig {
    /// The mapping that it describes.
    pub(super) fn mapping(&self) -> Result<Mapping, Wrong> {
        let key = idents("key", &self.key)?;
        if key.is_empty() {
            return Err("`key` has no column".to_owned());
        }
        let scope = idents("scope", &self.scope)?;
        if let Some(both) = scope.iter().find(|column| key.contains(column)) {
            return Err(format!("the column {:?} is in `key` and in `scope`", both.as_str()));
        }
        let show = &self.show;
        Ok(Mapping {
            name: table_name(&self.name)?,
            key,
            scope,
            locator: idents("locator", &self.locator)?,
            guard: literals("guard", &self.guard)?,
            state: self.state.mapping()?,
            clocks: self.clock.clocks()?,
            shown: Shown {
                request_hash: maybe_ident("table.show.request_hash", show.request_hash.as_ref())?,
                response_status: maybe_ident("table.show.response_status", show.response_status.as_ref())?,
                response_headers: maybe_ident("table.show.response_headers", show.response_headers.as_ref())?,
                response_body: maybe_ident("table.show.response_body", show.response_body.as_ref())?,
                response_bytes: None,
                snapshot: match &show.response {
                    None => None,
                    Some(_) if show.response_body.is_some() => {
                        return Err("`table.show` has both `response` and `response_body`".to_owned());
                    }
                    Some(response) => Some(Snapshot {
                        column: ident("table.show.response", &response.column)?,
                        status: response.status.clone(),
                        body: response.body.clone(),
                    }),
                },
                response_ref: maybe_ident("table.show.response_ref", show.response_ref.as_ref())?,
                token: None,
                attempt: maybe_ident("table.show.attempt", show.attempt.as_ref())?,
                owner: maybe_ident("table.show.owner", show.owner.as_ref())?,
                retry_allowed: None,
                failure: maybe_ident("table.show.failure", show.failure.as_ref())?,
            },
            fail: self.fail.as_ref().map(|rule| rule.mapping("table.fail")).transpose()?,
            release: self.release.as_ref().map(|rule| rule.mapping("table.release")).transpose()?,
            claim: ClaimRules {
                expired: self.claim.expired.map(|rule| match rule {
                    ExpiredConfig::Blocks => ExpiredRule::Blocks,
                    ExpiredConfig::Absent => ExpiredRule::Absent,
                }),
                failed: self.claim.failed.map(|rule| match rule {
                    FailedConfig::Retry => FailedRule::Retry,
                    FailedConfig::Final => FailedRule::Final,
                }),
                reopens: match (self.reopens, self.clock.reopens) {
                    (Some(one), Some(other)) if one != other => {
                        return Err("`reopens` is said twice, and differently".to_owned());
                    }
                    (one, other) => one.or(other).unwrap_or(false),
                },
            },
        })
    }
}

pub(super) fn literals(
    setting: &str,
    values: &BTreeMap<String, Scalar>,
) -> Result<Vec<(Ident, Literal)>, Wrong> {
    values
        .iter()
        .map(|(column, value)| {
            if matches!(&value.0, Literal::Text(text) if text.contains('\0')) {
                return Err(format!("`{setting}`: the value of {column:?} contains a NUL"));
            }
            Ok((ident(setting, column)?, value.0.clone()))
        })
        .collect()
}

impl StateConfig {
    fn mapping(&self) -> Result<StateMapping, Wrong> {
        let nulls = idents("table.state.null_means_in_progress", &self.null_means_in_progress)?;
        let marks = self.marks()?;
        let lists = [&self.in_progress, &self.completed, &self.failed, &self.keep];
        let has_values = lists.iter().any(|list| !list.is_empty()) || self.null.is_some();
        let shape = match (&self.column, nulls.is_empty(), self.always) {
            (Some(column), true, None) => {
                let all: Vec<&Literal> = lists.into_iter().flatten().map(|value| &value.0).collect();
                for (index, value) in all.iter().enumerate() {
                    if all[..index].contains(value) {
                        return Err(format!("`table.state` has the value {value} twice"));
                    }
                    if matches!(value, Literal::Text(text) if text.contains('\0')) {
                        return Err("`table.state` has a value with a NUL".to_owned());
                    }
                }
                if !has_values {
                    return Err("`table.state` lists no value: in_progress, completed, failed".to_owned());
                }
                let list = |values: &[Scalar]| values.iter().map(|value| value.0.clone()).collect();
                StateShape::Column {
                    column: ident("table.state.column", column)?,
                    in_progress: list(&self.in_progress),
                    completed: list(&self.completed),
                    failed: list(&self.failed),
                    keep: list(&self.keep),
                    null: self.null.map(Meaning::from),
                }
            }
            (None, false, None) => StateShape::NullMeansInProgress(nulls),
            (None, true, Some(StateName::InProgress)) if !marks.is_empty() => {
                return Err(
                    "`table.state` has `set_means_in_progress`, and `always` says that every row is in \
                            progress"
                        .to_owned(),
                );
            }
            (None, true, Some(always)) => StateShape::Always(always.into()),
            // What is not at work is done.
            (None, true, None) if !marks.is_empty() => StateShape::Always(Status::Completed),
            _ => {
                return Err(
                    "`table.state` needs exactly one of column, null_means_in_progress and always, or \
                            set_means_in_progress: how does a row say that its work is done?"
                        .to_owned(),
                );
            }
        };
        if has_values && !matches!(shape, StateShape::Column { .. }) {
            return Err("`table.state` lists values, and no column that they are in".to_owned());
        }
        let mapping = StateMapping { shape, marks };
        let columns: Vec<&Ident> = mapping.columns().collect();
        match columns.iter().enumerate().find(|(index, column)| columns[..*index].contains(column)) {
            Some((_, twice)) => {
                Err(format!("`table.state` has the column {:?} twice: it says one thing", twice.as_str()))
            }
            None => Ok(mapping),
        }
    }

    fn marks(&self) -> Result<Vec<Mark>, Wrong> {
        const SETTING: &str = "table.state.set_means_in_progress";
        let mark = |mark: &MarkColumn| match mark {
            MarkColumn::Plain(column) => Ok(Mark { column: ident(SETTING, column)?, unset: Vec::new() }),
            MarkColumn::Unset { column, unset } => {
                if unset.is_empty() {
                    return Err(format!("`{SETTING}`: `unset` of the column {column:?} lists no value"));
                }
                if unset.iter().any(|value| matches!(&value.0, Literal::Text(text) if text.contains('\0'))) {
                    return Err(format!(
                        "`{SETTING}`: `unset` of the column {column:?} has a value with a NUL"
                    ));
                }
                let unset = unset.iter().map(|value| value.0.clone()).collect();
                Ok(Mark { column: ident(SETTING, column)?, unset })
            }
        };
        self.set_means_in_progress.0.iter().map(mark).collect()
    }
}

impl ClockConfig {
    fn clocks(&self) -> Result<Clocks, Wrong> {
        let clock = |setting: &str, clock: &Option<ClockColumn>| {
            clock
                .as_ref()
                .map(|clock| {
                    let column = ident(&format!("table.clock.{setting}"), &clock.column)?;
                    Ok::<_, Wrong>(Clock::new(column, clock.encoding.0))
                })
                .transpose()
        };
        let ttl = match (self.ttl, &self.expires, self.null_expires) {
            (None, _, Some(NullExpires::Ttl)) => {
                return Err(
                    "`table.clock.null_expires` is \"ttl\", and there is no `table.clock.ttl`".to_owned()
                );
            }
            (_, None, Some(_)) => {
                return Err(
                    "`table.clock.null_expires` says what NULL means in `table.clock.expires`, which is \
                            missing"
                        .to_owned(),
                );
            }
            (Some(_), Some(_), None | Some(NullExpires::Never)) if self.created.is_some() => {
                return Err(
                    "`table.clock` has `expires`, `created` and `ttl`: with null_expires = \"ttl\" the last counts \
                            where the first is NULL, else leave one out"
                        .to_owned(),
                );
            }
            (ttl, ..) => ttl.map(|span| span.0),
        };
        // An expiry that was counted with one ttl tells the age.
        let tells_age = self.created.is_none() && self.null_expires != Some(NullExpires::Ttl);
        let expires = clock("expires", &self.expires)?;
        let aged = expires.clone().zip(ttl).filter(|_| tells_age);
        let is_lease =
            |expires: &ClockColumn| self.lease.as_ref().is_some_and(|lease| lease.column == expires.column);
        if aged.is_some() && self.expires.as_ref().is_some_and(is_lease) {
            return Err("`table.clock` has `expires` and `ttl`, and no `created`: no age can be counted from a column \
                        that is the `lease` as well"
                .to_owned());
        }
        if ttl.is_some() && self.created.is_none() && aged.is_none() {
            return Err(
                "`table.clock.ttl` is counted from `table.clock.created`, which is missing; without it a \
                        row's age is `table.clock.expires` minus the ttl"
                    .to_owned(),
            );
        }
        if ttl.is_some_and(|ttl| ttl < crate::protocol::Span::MIN || ttl > crate::protocol::Span::MAX) {
            return Err("`table.clock.ttl` must be from one second to one hundred years".to_owned());
        }
        Ok(Clocks {
            created: clock("created", &self.created)?,
            claimed: clock("claimed", &self.claimed)?,
            renewed: clock("alive", &self.alive)?,
            lease: clock("lease", &self.lease)?,
            finished: clock("finished", &self.finished)?,
            ttl: ttl.filter(|_| aged.is_none()),
            aged: aged.map(|(clock, ttl)| Clock { minus: ttl, ..clock }),
            expires,
        })
    }
}

impl RuleConfig {
    fn mapping(&self, setting: &str) -> Result<WriteRule, Wrong> {
        let values = literals(&format!("{setting}.set"), &self.set)?;
        let null = idents(&format!("{setting}.set_null"), &self.set_null)?;
        let now = idents(&format!("{setting}.set_now"), &self.set_now)?;
        let all: Vec<&Ident> = values.iter().map(|(column, _)| column).chain(&null).chain(&now).collect();
        if let Some((_, twice)) =
            all.iter().enumerate().find(|(index, column)| all[..*index].contains(column))
        {
            return Err(format!("`{setting}` sets the column {:?} twice", twice.as_str()));
        }
        match (self.delete, all.is_empty()) {
            (true, true) => Ok(WriteRule::Delete),
            (false, false) => Ok(WriteRule::Set { values, null, now }),
            (true, false) => Err(format!("`{setting}` both sets columns and deletes the row")),
            (false, true) => {
                Err(format!("`{setting}` is empty: what does a row become? `set`, or `delete = true`"))
            }
        }
    }
}

impl From<NullName> for Meaning {
    fn from(name: NullName) -> Self {
        match name {
            NullName::InProgress => Self::Status(Status::InProgress),
            NullName::Completed => Self::Status(Status::Completed),
            NullName::Failed => Self::Status(Status::Failed),
            NullName::Keep => Self::Kept,
        }
    }
}

impl From<StateName> for Status {
    fn from(name: StateName) -> Self {
        match name {
            StateName::InProgress => Self::InProgress,
            StateName::Completed => Self::Completed,
            StateName::Failed => Self::Failed,
        }
    }
}

//! Whether what a rule writes can be written, and takes the row where it should.

use super::{Problems, mismatch};
use crate::protocol::Status;
use crate::store::{Dialect, StoreError};
use crate::table::{Family, Ident, Literal, Mark, Meaning, StateShape, WriteRule};

impl Problems<'_> {
    pub(super) fn rule(&self, setting: &str, rule: Option<&WriteRule>) -> Result<(), StoreError> {
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
    pub(super) fn still_in_progress(&self) -> Option<StoreError> {
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

    pub(super) fn is_flag(&self, column: &Ident) -> bool {
        self.columns.family(column) == Some(Family::Boolean)
    }

    /// A release rule must change something: a row that stays failed as it was is not released.
    pub(super) fn still_failed(&self) -> Option<StoreError> {
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
    pub(super) fn is_column(&self, one: &Ident, other: &Ident) -> bool {
        match self.columns.dialect {
            Dialect::Postgres => one == other,
            Dialect::Sqlite => one.as_str().eq_ignore_ascii_case(other.as_str()),
        }
    }

    pub(super) fn writable(&self, setting: &str, column: &Ident) -> Result<(), StoreError> {
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

//! What part of the table a session sees. A row that is not seen may be there all the same: row level security
//! hides it, a view leaves it out, or the primary has it and this standby does not have it yet. A report that
//! does not say so takes a part for the whole.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Store, StoreError, VisibilityFlags};
use crate::protocol::Timestamp;

/// How far a standby is behind, as far as it knows itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Standby {
    /// The commit of the last transaction that it has replayed; null when it has replayed none since its start.
    pub replayed_until: Option<Timestamp>,
    /// How long ago that was. On an idle primary this grows although nothing is missing.
    pub replayed_seconds_ago: Option<u64>,
    /// Bytes of log that it has received and not replayed yet.
    pub bytes_to_replay: Option<u64>,
    /// Replay is paused.
    pub paused: Option<bool>,
    /// It is connected to its primary.
    pub connected: Option<bool>,
    /// Why nothing of this could be read.
    pub unreadable: Option<String>,
}

/// What part of the table a session sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visibility {
    /// The role.
    pub role: String,
    /// Row level security hides rows of the table from the role, or may hide them.
    pub row_security: bool,
    /// It hides entries of the audit.
    pub audit_row_security: bool,
    /// Why the policies could not be read; then it is taken that they hide rows.
    pub policies_unreadable: Option<String>,
    /// What the table is where it is none: a view shows what its query selects.
    pub view: Option<&'static str>,
    /// The server is a standby.
    pub standby: Option<Standby>,
    /// Files beside an SQLite file that is opened as immutable: the changes in them are not seen.
    pub unread_changes: Vec<PathBuf>,
}

impl Visibility {
    /// Whether a row that is not found is not there.
    pub fn is_whole(&self) -> bool {
        self.why_unseen().is_none()
    }

    /// Where a row that is seen may have changed since: what is seen is the past.
    pub fn later_place(&self) -> Option<String> {
        match (&self.standby, self.unread_changes.first()) {
            (Some(_), _) => Some("on the primary".to_owned()),
            (None, Some(beside)) => Some(format!("in {}, which is not read", beside.display())),
            (None, None) => None,
        }
    }

    /// Why a row that is not found may be there all the same, for the middle of a sentence.
    pub fn why_unseen(&self) -> Option<String> {
        if self.row_security {
            return Some(format!("row level security hides rows from the role {:?}", self.role));
        }
        if self.standby.is_some() {
            return Some("this server is a standby, and its primary may have the row".to_owned());
        }
        if let Some(beside) = self.unread_changes.first() {
            return Some(format!("the file is opened as immutable, and {} is not read", beside.display()));
        }
        self.view.map(|view| format!("the mapping names {view}, which may leave rows out"))
    }

    /// What has to be said beside every report, a sentence each.
    pub fn words(&self, table: &str) -> Vec<String> {
        let mut words = Vec::new();
        let role = &self.role;
        let unread = match &self.policies_unreadable {
            Some(why) => format!(" (its policies could not be read: {why})"),
            None => String::new(),
        };
        if self.row_security {
            words.push(format!(
                "only a part of {table} is seen: row level security hides rows from the role {role:?}{unread}; \
                 how many can't be known with this role"
            ));
        }
        if self.audit_row_security {
            words.push(format!(
                "only a part of the audit is seen: row level security hides entries of idemctl_audit from the \
                 role {role:?}{unread}"
            ));
        }
        if let Some(view) = self.view {
            words.push(format!("{table} is {view}: rows that its query leaves out are not seen"));
        }
        words.extend(self.standby.as_ref().map(Standby::words));
        words.extend(self.unread_changes.iter().map(|beside| {
            format!(
                "only a part is seen: the file is opened as immutable, so that the changes in {} are not read; \
                 leave immutable out of the URL while anybody writes to the file",
                beside.display()
            )
        }));
        words
    }
}

impl Standby {
    fn words(&self) -> String {
        let start = "this server is a standby and shows the past";
        if let Some(why) = &self.unreadable {
            return format!("{start}; how far it is behind could not be read: {why}");
        }
        let mut words = vec![match (self.replayed_until, self.replayed_seconds_ago) {
            (Some(at), Some(ago)) => format!(
                "the last transaction it replayed was committed {at}, {} ago",
                crate::words::duration(Duration::from_secs(ago))
            ),
            _ => "it has replayed no transaction since it was started".to_owned(),
        }];
        words.push(match self.bytes_to_replay {
            Some(0) => "it has replayed all that it has received".to_owned(),
            Some(bytes) => format!("{bytes} bytes of log that it has received are not replayed yet"),
            None => "it does not know what it has received".to_owned(),
        });
        if self.paused == Some(true) {
            words.push("replay is paused".to_owned());
        }
        if self.connected == Some(false) {
            words.push("it is not connected to its primary".to_owned());
        }
        format!("{start}: {}", words.join("; "))
    }
}

impl Store {
    /// What part of the table this session sees. Where the flags say nothing, nothing is asked.
    ///
    /// # Errors
    /// When the connection is lost. A fact that can't be read is part of the answer.
    pub async fn visibility(&self, flags: VisibilityFlags) -> Result<Visibility, StoreError> {
        let mut visibility = Visibility { view: self.columns.read_only, ..Visibility::default() };
        if !self.dialect().has_row_security() {
            visibility.unread_changes = self.backend.unread_changes();
            return Ok(visibility);
        }
        if flags.row_security {
            match self.read_row_security(&mut visibility).await {
                Ok(()) => {}
                Err(error) if error.is_disconnect() => return Err(error),
                Err(error) => {
                    visibility.row_security = true;
                    visibility.policies_unreadable = Some(error.chain());
                }
            }
        }
        if flags.standby {
            visibility.standby = match self.read_standby().await {
                Ok(standby) => standby,
                Err(error) if error.is_disconnect() => return Err(error),
                Err(error) => Some(Standby { unreadable: Some(error.chain()), ..Standby::default() }),
            };
        }
        Ok(visibility)
    }

    /// The same where no query was sent that tells the flags.
    ///
    /// # Errors
    /// As [`Store::visibility`].
    pub async fn ask_visibility(&self) -> Result<Visibility, StoreError> {
        self.visibility(VisibilityFlags { row_security: true, standby: true }).await
    }

    /// The same store, which knows what part of its table is seen.
    ///
    /// # Errors
    /// As [`Store::visibility`].
    pub async fn seeing(self, flags: VisibilityFlags) -> Result<Self, StoreError> {
        let seen = Arc::new(self.visibility(flags).await?);
        Ok(Self { seen, ..self })
    }

    /// What the query that looked at an adopted table said of who sees its rows.
    pub fn visibility_flags(&self) -> VisibilityFlags {
        self.columns.flags
    }

    /// What part of the table is seen, as far as [`Store::seeing`] asked.
    pub fn seen(&self) -> &Visibility {
        &self.seen
    }

    async fn read_row_security(&self, visibility: &mut Visibility) -> Result<(), StoreError> {
        let name = self.mapping.name.quoted(self.dialect());
        for mut row in self.read(&self.sql.visibility, &[name.into()]).await? {
            let what = row.text()?;
            let role = row.text()?;
            visibility.role = row.required(role)?;
            let hides = row.bool()?;
            let hides = row.required(hides)?;
            match what.as_deref() {
                Some("audit") => visibility.audit_row_security = hides,
                _ => visibility.row_security = hides,
            }
        }
        Ok(())
    }

    /// `None` where it was promoted meanwhile.
    async fn read_standby(&self) -> Result<Option<Standby>, StoreError> {
        let Some(mut row) = self.read_one(&self.sql.standby, &[]).await? else { return Ok(None) };
        let now = row.time()?;
        let now = row.required(now)?;
        let replayed_until = row.time()?;
        let to_replay = row.int()?;
        Ok(Some(Standby {
            replayed_until,
            replayed_seconds_ago: replayed_until.map(|at| now.since(at).as_secs()),
            // Behind what was received is nothing that can be behind by less than nothing.
            bytes_to_replay: to_replay.map(|bytes| u64::try_from(bytes).unwrap_or(0)),
            paused: row.bool()?,
            connected: row.bool()?,
            unreadable: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_never_told_as_the_whole() {
        let whole = Visibility::default();
        assert!(whole.is_whole() && whole.words("t").is_empty() && whole.why_unseen().is_none());
        for (part, word) in [
            (Visibility { row_security: true, ..Visibility::default() }, "row level security"),
            (Visibility { view: Some("a view"), ..Visibility::default() }, "a view"),
            (Visibility { unread_changes: vec!["k.db-wal".into()], ..Visibility::default() }, "k.db-wal"),
            (Visibility { standby: Some(Standby::default()), ..Visibility::default() }, "standby"),
        ] {
            assert!(!part.is_whole());
            assert!(part.why_unseen().unwrap().contains(word.trim_start_matches("a ")), "{part:?}");
            assert!(part.words("t").join(" ").contains(word), "{part:?}");
        }
        let idle = Standby { replayed_until: None, bytes_to_replay: Some(0), ..Standby::default() };
        assert!(idle.words().contains("no transaction since it was started"), "{}", idle.words());
        let hidden = Standby { unreadable: Some("permission denied".into()), ..Standby::default() };
        assert!(hidden.words().contains("could not be read: permission denied"), "{}", hidden.words());
    }
}

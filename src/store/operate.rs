//! What an operator does to a single key: a compare-and-set on the row as it was shown, with its audit
//! entry in the same transaction.

use super::audit::Actor;
use super::rows::{NoSpan, name_binds};
use super::{Confirmed, Doubt, ErrorKind, KeyRow, Purpose, Statement, Store, StoreError, Value};
use crate::protocol::{Retry, Timestamp};
use crate::table::{Clock, FailedRule, WriteRule};

/// What to do to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Take the claim of a row in progress away.
    Fail {
        /// Whether it may be tried again; a row claimed with "block if lost" is blocked whatever this
        /// says.
        retry: Retry,
    },
    /// Allow the retry of a failed row.
    Release,
    /// Delete the row.
    Forget,
}

impl Operation {
    /// What has been done, as the audit and the reports have it.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Fail { .. } => "failed",
            Self::Release => "released",
            Self::Forget => "forgotten",
        }
    }
}

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operated {
    /// It was done.
    Done,
    /// The row is not the one that was shown any more; nothing was changed.
    Changed,
    /// The row is the one that was shown, and something keeps it so without an error: a trigger, a rule or a policy,
    /// see [`Store::row_blocking_triggers`].
    Kept,
    /// The answer to the commit was lost and the row is not the one that was shown any more. Without an
    /// audit nobody can tell whether this change or somebody else's was made.
    Unknown,
}

impl Store {
    /// What the mapping lacks for taking claims away.
    ///
    /// # Errors
    /// [`ErrorKind::MissingSetting`] with the setting's name; [`ErrorKind::Mapping`] where the table itself is the
    /// reason.
    pub fn check_fail(&self, policy: Retry) -> Result<(), StoreError> {
        let mapping = &self.mapping;
        let Some(rule) = &mapping.fail else {
            return Err(self.lacks("table.fail", "what a row becomes whose claim is taken away"));
        };
        self.check_writable()?;
        self.check_settings(&["table.clock.lease"])?;
        self.check_rule(&self.columns.fail_problem)?;
        if policy.is_allowed() || *rule == WriteRule::Protocol {
            return Ok(());
        }
        if *rule == WriteRule::Delete {
            return Err(StoreError::new(
                ErrorKind::MissingSetting,
                format!(
                    "the rows of {} can't be blocked: `table.fail.delete` deletes them, and a retry executes",
                    mapping.name
                ),
            ));
        }
        if mapping.claim.failed == Some(FailedRule::Retry) {
            return Err(StoreError::new(
                ErrorKind::MissingSetting,
                format!(
                    "the rows of {} can't be blocked: its application retries failed keys \
                     (`table.claim.failed` is \"retry\")",
                    mapping.name
                ),
            ));
        }
        self.check_settings(&["table.clock.expires"])?;
        if let Some(expires) = &mapping.clocks.expires
            && self.columns.is_generated(&expires.column)
        {
            return Err(StoreError::new(
                ErrorKind::Mapping,
                format!(
                    "the rows of {} can't be blocked: a block has to outlive the row's age, and the database \
                     computes its expiry {:?} itself",
                    mapping.name,
                    expires.column.as_str()
                ),
            ));
        }
        if mapping.clocks.expires.is_none() {
            return Err(StoreError::new(
                ErrorKind::MissingSetting,
                format!(
                    "the rows of {} can't be blocked: a block has to outlive the row's age, and there is no \
                     expiry to write (`table.clock.expires`)",
                    mapping.name
                ),
            ));
        }
        Ok(())
    }

    /// What the mapping lacks for `reap-stuck`, which acts on age alone.
    ///
    /// # Errors
    /// As [`Store::check_fail`].
    pub fn check_reap(&self, policy: Retry) -> Result<(), StoreError> {
        self.check_settings(&self.mapping.age_settings())?;
        // Whoever has to add two settings hears of both at once.
        match (&self.mapping.fail, self.mapping.renewed()) {
            (None, None) => {
                return Err(self.lacks(
                    "table.fail` and `table.clock.created",
                    "what a row becomes whose claim is taken away, and how long ago it had its last heartbeat",
                ));
            }
            (Some(_), None) => {
                return Err(self.lacks("table.clock.created", "how long ago a row had its last heartbeat"));
            }
            (_, Some(_)) => self.check_fail(policy)?,
        }
        self.check_work_shows()
    }

    /// Whether a row at work can be told from one that is stuck.
    pub(super) fn check_work_shows(&self) -> Result<(), StoreError> {
        if !self.mapping.hides_work() {
            return Ok(());
        }
        Err(StoreError::new(
            ErrorKind::Reopens,
            format!(
                "the mapping of {} lacks `table.clock.alive` or `table.clock.lease`: its application claims unfinished \
                 rows again in place (`table.reopens`), so an old row may be freshly at work, and no clock shows it; \
                 if it never does that, say `reopens = false`: a row in progress \
                 is then stuck by its age alone",
                self.mapping.name
            ),
        ))
    }

    /// What the mapping lacks for changing single keys. No unique index is needed: a row is changed by its
    /// place as well as its name, and of a key with several rows none is.
    ///
    /// # Errors
    /// As [`Store::check_fail`].
    pub fn check_operation(&self, operation: Operation) -> Result<(), StoreError> {
        match operation {
            Operation::Fail { retry } => self.check_fail(retry)?,
            Operation::Release if self.mapping.release.is_none() => {
                return Err(self.lacks("table.release", "what a row becomes whose retry is allowed"));
            }
            Operation::Release => {
                self.check_rule(&self.columns.release_problem)?;
                self.check_writable()?;
            }
            Operation::Forget => {
                self.check_settings(&["table.clock.lease"])?;
                self.check_writable()?;
            }
        }
        Ok(())
    }

    /// Whether a key may be tried again once its claim was taken away with this policy.
    pub(crate) fn allows_retry(&self, row: &KeyRow, policy: Retry) -> bool {
        match (&self.mapping.fail, self.mapping.claim.failed) {
            (Some(WriteRule::Delete), _) | (_, Some(FailedRule::Retry)) => true,
            (_, Some(FailedRule::Final)) => false,
            (_, Some(FailedRule::ByRow) | None) => row.retry_allowed.unwrap_or(true) && policy.is_allowed(),
        }
    }

    /// What the mapping lacks for the purge.
    ///
    /// # Errors
    /// As [`Store::check_fail`].
    pub fn check_purge(&self) -> Result<(), StoreError> {
        self.check_settings(&["table.clock.lease"])?;
        self.check_settings(&self.mapping.expiry_settings())?;
        if self.walk.is_none() {
            return Err(self.lacks("table.clock.expires` or `table.clock.ttl", "when a row expires"));
        }
        self.check_writable()
    }

    pub(super) fn check_rule(&self, problem: &Option<String>) -> Result<(), StoreError> {
        match problem {
            None => Ok(()),
            Some(problem) => Err(StoreError::new(ErrorKind::Mapping, problem.clone())),
        }
    }

    fn check_writable(&self) -> Result<(), StoreError> {
        match self.columns.read_only {
            None => Ok(()),
            Some(kind) => Err(StoreError::new(
                ErrorKind::Mapping,
                format!("{} is {kind}, not a table: its rows are only looked at", self.mapping.name),
            )),
        }
    }

    fn lacks(&self, setting: &str, what: &str) -> StoreError {
        StoreError::new(
            ErrorKind::MissingSetting,
            format!("the mapping of {} lacks `{setting}`: {what}", self.mapping.name),
        )
    }

    /// The expiry that a rule counts afresh.
    pub(super) fn restamped<'m>(&'m self, rule: Option<&WriteRule>) -> Option<&'m Clock> {
        self.fragments().restamped(rule)
    }

    /// Why a row must be left alone by a rule that writes its expiry: one that it would be computed from can't
    /// be read. `None` where nothing stands against it.
    pub fn unwritable(&self, row: &KeyRow, operation: Operation) -> Option<String> {
        let rule = match operation {
            Operation::Fail { .. } => self.mapping.fail.as_ref(),
            Operation::Release => self.mapping.release.as_ref(),
            Operation::Forget => None,
        };
        let writes = match (rule, operation) {
            (Some(WriteRule::Protocol), _) => true,
            (rule, Operation::Fail { .. }) => self.restamped(rule).is_some(),
            _ => false,
        };
        let afresh = if writes { row.expiry_afresh(&self.mapping) } else { Ok(None) };
        let (column, value) = match afresh {
            // Where a retry is allowed, the expiry may stay as it is; a block would end with it.
            Err(NoSpan::NotAfterClaim { .. })
                if operation == Operation::Fail { retry: Retry::Allow }
                    && row.retry_allowed != Some(false) =>
            {
                return None;
            }
            Err(NoSpan::NotAfterClaim { column, value }) => {
                (column, format!("{value}, which is not after its claim"))
            }
            Err(NoSpan::Unread { column, value }) => (column, value),
            // A spelling of four digits ends with the year 9999.
            Ok(Some(at)) => {
                let clock = self.mapping.clocks.expires.as_ref()?;
                if clock.encoding.encode_expiry(at).is_some() {
                    return None;
                }
                (clock.column.to_string(), at.to_string())
            }
            Ok(None) => return None,
        };
        Some(format!("its expiry can't be counted afresh: {column} holds {value}"))
    }

    /// The binds of a statement on a single row: its name, the moment, policy and reason, everything as
    /// it was seen, and what the rule writes.
    pub(super) fn row_binds(
        &self,
        row: &KeyRow,
        policy: Retry,
        reason: &str,
        rule: Option<&WriteRule>,
    ) -> Vec<Value> {
        let clocks = &self.mapping.clocks;
        let mut binds = name_binds(row);
        let names = binds.len();
        binds.push(match &clocks.lease {
            Some(lease) => lease.bound(row.read_at),
            None => row.read_at.into(),
        });
        binds.push(policy.is_allowed().into());
        binds.push(reason.into());
        binds.extend(row.seen.iter().cloned());
        let Some(WriteRule::Set { now, .. }) = rule else { return binds };
        binds.extend(now.iter().map(|column| {
            let clock = self.mapping.read_clocks().flatten().find(|clock| clock.column == *column);
            clock.map_or(Value::Time(Some(row.read_at)), |clock| clock.encoding.encode(row.read_at))
        }));
        if let Some(expires) = self.restamped(rule) {
            let afresh = row.expiry_afresh(&self.mapping).ok().flatten();
            match afresh.and_then(|at| expires.encoding.encode_expiry(at)) {
                Some(expiry) => binds.push(expiry),
                None => {
                    // It stays as it is.
                    binds[names + 1] = true.into();
                    binds.push(expires.bound(Timestamp::MAX).null());
                }
            }
        }
        binds
    }

    /// Does `operation` to the row if it is exactly the one that was read as `seen`. Whether the state
    /// machine allows it is the caller's question, see [`crate::protocol`]: the row can't have changed
    /// since.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when the table's mapping does not say how; [`ErrorKind::Corrupt`] where
    /// [`Store::unwritable`] has a reason; [`ErrorKind::OutcomeUnknown`] when the answer to the commit was lost
    /// and the database can't be asked again: the audit will tell.
    pub async fn operate(
        &self,
        seen: &KeyRow,
        operation: Operation,
        actor: &Actor,
        audit: bool,
        _confirmed: &Confirmed,
    ) -> Result<Operated, StoreError> {
        if let Some(why) = self.unwritable(seen, operation) {
            return Err(StoreError::new(
                ErrorKind::Corrupt,
                format!("the row of {} is left as it is: {why}", seen.key_text()),
            ));
        }
        let policy = match operation {
            Operation::Fail { retry } => retry,
            Operation::Release | Operation::Forget => Retry::Allow,
        };
        self.check_operation(operation)?;
        let (sql, rule) = self.statement_of(operation);
        let actor = &self.storable_actor(actor).await?;
        let failure = match &actor.reason {
            Some(reason) => format!("failed by an operator: {reason}"),
            None => "failed by an operator".to_owned(),
        };
        let binds = self.row_binds(seen, policy, &failure, rule);
        let (sql, unchanged) = (&self.for_row(sql, seen)?, &self.for_row(&self.sql.unchanged_row, seen)?);
        let (entry, doubt) = (self.entry(actor, operation.done(), seen), Doubt::default());
        self.with_retries(true, || async {
            let mut transaction = self.backend.begin(Purpose::Write).await?;
            if transaction.execute(sql, &binds).await? == 0 {
                return Ok(match (doubt.is_there(), audit) {
                    (false, _) => match transaction.fetch_one(unchanged, &binds).await? {
                        Some(_) => Operated::Kept,
                        None => Operated::Changed,
                    },
                    (true, false) => Operated::Unknown,
                    (true, true) => {
                        let done = self.was_audited(transaction.executor(), &entry, seen.read_at).await?;
                        if done { Operated::Done } else { Operated::Changed }
                    }
                });
            }
            if audit {
                self.write_audit(transaction.executor(), &entry).await?;
            }
            doubt.commit(transaction).await?;
            Ok(Operated::Done)
        })
        .await
    }

    /// The statements of [`Store::operate`] without any row: what they fail with then is no row's fault.
    ///
    /// # Errors
    /// Why the database does not take them.
    #[cfg(feature = "cli")]
    pub(crate) async fn operate_on_nothing(
        &self,
        seen: &KeyRow,
        operation: Operation,
        audit: bool,
        _confirmed: &Confirmed,
    ) -> Result<(), StoreError> {
        let (sql, rule) = self.statement_of(operation);
        self.changes_nothing(sql, self.row_binds(seen, Retry::Allow, "", rule), audit).await
    }

    fn statement_of(&self, operation: Operation) -> (&Statement, Option<&WriteRule>) {
        match operation {
            Operation::Fail { .. } => (&self.sql.fail_row, self.mapping.fail.as_ref()),
            Operation::Release => (&self.sql.release_row, self.mapping.release.as_ref()),
            Operation::Forget => (&self.sql.forget_row, None),
        }
    }

    /// Runs a statement on one row for a row of no name, and asks whether an entry of the audit could be written.
    pub(super) async fn changes_nothing(
        &self,
        sql: &Statement,
        mut binds: Vec<Value>,
        audit: bool,
    ) -> Result<(), StoreError> {
        for name in binds.iter_mut().take(self.mapping.key.len() + self.mapping.scope.len()) {
            *name = name.null();
        }
        self.with_retries(true, || async {
            let mut transaction = self.backend.begin(Purpose::Write).await?;
            let tried = async {
                transaction.execute(sql, &binds).await?;
                if audit {
                    let entry = self.sql.audit_insert.with_nulls().explained("EXPLAIN");
                    transaction.fetch(&entry, &[]).await?;
                }
                Ok(())
            };
            let tried: Result<(), StoreError> = tried.await;
            let _ = transaction.rollback().await;
            tried
        })
        .await
    }
}

//! A program in another language, so to speak: it knows the page and nothing of the library.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, Postgres, Row as _, Sqlite};
use uuid::Uuid;

use crate::page;
use crate::support::{Raw, TestDb};

/// A parameter.
#[derive(Debug, Clone)]
pub enum Bind {
    Text(Option<String>),
    Int(Option<i64>),
    Bool(bool),
    Token(Uuid),
    Bytes(Option<Vec<u8>>),
    Time(Moment),
}

/// A point in time as the dialect gives it.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Moment {
    Postgres(DateTime<Utc>),
    Sqlite(i64),
}

/// What a claim asks for.
#[derive(Debug, Clone)]
pub struct Ask {
    pub key: String,
    pub scope: String,
    pub fingerprint: Option<String>,
    pub other_fingerprint: Option<String>,
    pub token: Uuid,
    pub if_lost: bool,
    pub lease: i64,
    pub ttl: i64,
}

impl Ask {
    pub fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            scope: "tenant-7".to_owned(),
            fingerprint: None,
            other_fingerprint: None,
            token: Uuid::new_v4(),
            if_lost: true,
            lease: 10_000_000,
            ttl: 100_000_000,
        }
    }
}

/// What it is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Claimed { attempt: i64 },
    Replay(Stored),
    InProgress,
    FailedFinal { reason: Option<String>, answer: Stored },
    Mismatch,
}

/// A stored answer: the last four columns of claim_read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub status: Option<i64>,
    pub headers: Option<String>,
    pub body: Option<Vec<u8>>,
    pub bytes: Option<i64>,
}

impl Stored {
    pub fn new(status: i64, body: &[u8]) -> Self {
        let bytes = i64::try_from(body.len()).ok();
        Self { status: Some(status), headers: None, body: Some(body.to_vec()), bytes }
    }

    pub fn nothing() -> Self {
        Self { status: None, headers: None, body: None, bytes: None }
    }

    fn binds(&self) -> [Bind; 4] {
        [
            Bind::Int(self.status),
            Bind::Text(self.headers.clone()),
            Bind::Bytes(self.body.clone()),
            Bind::Int(self.bytes),
        ]
    }
}

/// The row as claim_read gives it.
#[derive(Debug)]
pub struct Found {
    pub status: String,
    pub request_hash: Option<String>,
    pub token: Option<Uuid>,
    pub attempt: i64,
    pub retry_allowed: bool,
    pub failure: Option<String>,
    pub claimed_at: Moment,
    pub expires_at: Moment,
    pub now: Moment,
    pub answer: Stored,
}

/// One connection.
pub struct Client {
    raw: Raw,
    statements: BTreeMap<String, String>,
}

impl Client {
    pub async fn new(db: &TestDb) -> Self {
        let mut client = Self { raw: db.raw().await, statements: page::statements(db.dialect()) };
        if matches!(client.raw, Raw::Sqlite(_)) {
            client.raw.run("PRAGMA busy_timeout = 20000; PRAGMA synchronous = FULL").await;
        }
        client
    }

    /// With numbered parameters, as the page says for SQLite.
    pub fn with_question_marks(mut self) -> Self {
        for sql in self.statements.values_mut() {
            *sql = sql.replace('$', "?");
        }
        self
    }

    async fn begin(&mut self) {
        let begin = match self.raw {
            Raw::Postgres(_) => "BEGIN ISOLATION LEVEL READ COMMITTED",
            Raw::Sqlite(_) => "BEGIN IMMEDIATE",
        };
        self.raw.run(begin).await;
    }

    pub async fn claim(&mut self, ask: &Ask) -> Outcome {
        self.begin().await;
        let outcome = self.claim_in_transaction(ask).await;
        self.raw.run("COMMIT").await;
        outcome
    }

    async fn claim_in_transaction(&mut self, ask: &Ask) -> Outcome {
        let text = |text: &str| Bind::Text(Some(text.to_owned()));
        let binds = vec![
            text(&ask.key),
            text(&ask.scope),
            Bind::Text(ask.fingerprint.clone()),
            Bind::Token(ask.token),
            text("worker-1"),
            Bind::Bool(ask.if_lost),
            Bind::Int(Some(ask.lease)),
            Bind::Int(Some(ask.ttl)),
        ];
        for _ in 0..32 {
            if self.execute("claim_insert", binds.clone()).await == 1 {
                return Outcome::Claimed { attempt: 1 };
            }
            let Some(found) = self.read(&ask.key, &ask.scope).await else { continue };
            let expired = found.expires_at <= found.now;
            let spellings = [&ask.fingerprint, &ask.other_fingerprint];
            let differs = found.request_hash.is_some()
                && ask.fingerprint.is_some()
                && !spellings.contains(&&found.request_hash);
            let as_absent = match found.status.as_str() {
                "completed" | "failed" if expired => true,
                "in_progress" if found.token == Some(ask.token) => {
                    if self.restamp(ask).await {
                        return Outcome::Claimed { attempt: found.attempt };
                    }
                    continue;
                }
                "in_progress" if expired => return Outcome::InProgress,
                _ if differs => return Outcome::Mismatch,
                "in_progress" => return Outcome::InProgress,
                "completed" => return Outcome::Replay(found.answer),
                "failed" if found.retry_allowed => false,
                _ => return Outcome::FailedFinal { reason: found.failure, answer: found.answer },
            };
            let mut binds = binds.clone();
            binds.extend([
                Bind::Int(Some(found.attempt)),
                Bind::Time(found.claimed_at),
                Bind::Bool(as_absent),
                Bind::Text(ask.other_fingerprint.clone()),
            ]);
            if self.execute("claim_take_over", binds).await == 1 {
                return Outcome::Claimed { attempt: if as_absent { 1 } else { found.attempt + 1 } };
            }
        }
        panic!("the row changed 32 times");
    }

    pub async fn restamp(&mut self, ask: &Ask) -> bool {
        let mut binds = named(ask, ask.token);
        binds.extend([Bind::Int(Some(ask.lease)), Bind::Int(Some(ask.ttl))]);
        self.execute("claim_restamp", binds).await == 1
    }

    pub async fn renew(&mut self, ask: &Ask, token: Uuid, lease: i64) -> bool {
        let mut binds = named(ask, token);
        binds.push(Bind::Int(Some(lease)));
        self.execute("renew", binds).await == 1
    }

    /// False when the claim is stale.
    pub async fn complete(&mut self, ask: &Ask, token: Uuid, answer: &Stored) -> bool {
        let mut binds = named(ask, token);
        binds.extend(answer.binds());
        self.settle("complete", "completed", ask, token, binds).await
    }

    /// False when the claim is stale.
    pub async fn fail(&mut self, ask: &Ask, token: Uuid, retry: bool, answer: &Stored) -> bool {
        let mut binds = named(ask, token);
        binds.extend(answer.binds());
        binds.extend([Bind::Text(Some("no stock".to_owned())), Bind::Bool(retry)]);
        self.settle("fail", "failed", ask, token, binds).await
    }

    async fn settle(
        &mut self,
        statement: &str,
        wanted: &str,
        ask: &Ask,
        token: Uuid,
        binds: Vec<Bind>,
    ) -> bool {
        self.begin().await;
        let mut settled = self.execute(statement, binds).await == 1;
        if !settled {
            let found = self.read(&ask.key, &ask.scope).await;
            settled = found.is_some_and(|found| found.token == Some(token) && found.status == wanted);
        }
        self.raw.run(if settled { "COMMIT" } else { "ROLLBACK" }).await;
        settled
    }

    async fn execute(&mut self, name: &str, binds: Vec<Bind>) -> u64 {
        let sql = self.statements[name].clone();
        match &mut self.raw {
            Raw::Postgres(connection) => {
                let result = postgres(&sql, binds).execute(connection).await;
                result.unwrap_or_else(|error| panic!("{name}: {error}")).rows_affected()
            }
            Raw::Sqlite(connection) => {
                let result = sqlite(&sql, binds).execute(connection).await;
                result.unwrap_or_else(|error| panic!("{name}: {error}")).rows_affected()
            }
        }
    }

    /// Reads the columns at the positions that the page names.
    pub async fn read(&mut self, key: &str, scope: &str) -> Option<Found> {
        let sql = self.statements["claim_read"].clone();
        let binds = vec![Bind::Text(Some(key.to_owned())), Bind::Text(Some(scope.to_owned()))];
        match &mut self.raw {
            Raw::Postgres(connection) => {
                let row = postgres(&sql, binds).fetch_optional(connection).await.unwrap()?;
                let int = |at: usize| row.get::<Option<i32>, _>(at - 1).map(i64::from);
                let time = |at: usize| Moment::Postgres(row.get(at - 1));
                Some(Found {
                    status: row.get(3 - 1),
                    request_hash: row.get(4 - 1),
                    token: row.get(8 - 1),
                    attempt: int(9).unwrap(),
                    retry_allowed: row.get(11 - 1),
                    failure: row.get(12 - 1),
                    claimed_at: time(14),
                    expires_at: time(18),
                    now: time(19),
                    answer: Stored {
                        status: int(20),
                        headers: row.get(21 - 1),
                        body: row.get(22 - 1),
                        bytes: row.get(23 - 1),
                    },
                })
            }
            Raw::Sqlite(connection) => {
                let row = sqlite(&sql, binds).fetch_optional(connection).await.unwrap()?;
                let time = |at: usize| Moment::Sqlite(row.get(at - 1));
                Some(Found {
                    status: row.get(3 - 1),
                    request_hash: row.get(4 - 1),
                    token: row.get::<Option<String>, _>(8 - 1).map(|text| text.parse().unwrap()),
                    attempt: row.get(9 - 1),
                    retry_allowed: row.get::<i64, _>(11 - 1) == 1,
                    failure: row.get(12 - 1),
                    claimed_at: time(14),
                    expires_at: time(18),
                    now: time(19),
                    answer: Stored {
                        status: row.get(20 - 1),
                        headers: row.get(21 - 1),
                        body: row.get(22 - 1),
                        bytes: row.get(23 - 1),
                    },
                })
            }
        }
    }
}

fn named(ask: &Ask, token: Uuid) -> Vec<Bind> {
    vec![Bind::Text(Some(ask.key.clone())), Bind::Text(Some(ask.scope.clone())), Bind::Token(token)]
}

fn postgres(sql: &str, binds: Vec<Bind>) -> Query<'static, Postgres, PgArguments> {
    let mut query = sqlx::query(AssertSqlSafe(sql.to_owned()));
    for bind in binds {
        query = match bind {
            Bind::Text(text) => query.bind(text),
            Bind::Int(number) => query.bind(number),
            Bind::Bool(flag) => query.bind(flag),
            Bind::Token(token) => query.bind(token),
            Bind::Bytes(bytes) => query.bind(bytes),
            Bind::Time(Moment::Postgres(at)) => query.bind(at),
            Bind::Time(at) => panic!("{at:?} on PostgreSQL"),
        };
    }
    query
}

fn sqlite(sql: &str, binds: Vec<Bind>) -> Query<'static, Sqlite, SqliteArguments> {
    let mut query = sqlx::query(AssertSqlSafe(sql.to_owned()));
    for bind in binds {
        query = match bind {
            Bind::Text(text) => query.bind(text),
            Bind::Int(number) => query.bind(number),
            Bind::Bool(flag) => query.bind(i64::from(flag)),
            Bind::Token(token) => query.bind(token.to_string()),
            Bind::Bytes(bytes) => query.bind(bytes),
            Bind::Time(Moment::Sqlite(at)) => query.bind(at),
            Bind::Time(at) => panic!("{at:?} on SQLite"),
        };
    }
    query
}

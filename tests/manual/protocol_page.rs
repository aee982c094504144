//! idemctl-protocol(7): the claim protocol for programs in other languages, with the very statements
//! that the store runs.

use std::collections::BTreeSet;

use idemctl::protocol::{
    Answer, Body, Claim, ClaimOutcome, Decision, Fingerprint, Key, Record, Scope, Status, Timestamp, Token,
    decide,
};
use idemctl::store::{Dialect, protocol_statements};

use crate::roff::Page;

/// Parameters with their meaning.
type Binds = &'static [(&'static str, &'static str)];

/// What each statement is for, and what its parameters mean.
const STATEMENTS: [(&str, &str, Binds); 7] = [
    (
        "claim_insert",
        "Claims an absent key. It changes one row when the key is yours, and none when there is a row already.",
        &[
            ("$1", "the key"),
            ("$2", "the scope, the empty string when there is none"),
            ("$3", "the fingerprint, or NULL"),
            ("$4", "the fencing token of this claim"),
            ("$5", "what the worker calls itself, for people, or NULL; text without U+0000"),
            ("$6", "whether the key may be tried again should this worker be lost"),
            ("$7", "the lease in microseconds; NULL when you claim inside your own transaction"),
            ("$8", "the ttl in microseconds"),
        ],
    ),
    (
        "claim_read",
        "Reads the row that the insert met, its answer, and the moment of the reading.",
        &[("$1", "the key"), ("$2", "the scope")],
    ),
    (
        "claim_take_over",
        "Takes over a row that counts as absent or allows a retry. It asks every condition again. It changes \
         one row when the key is yours, and none when somebody was faster.",
        &[
            ("$1 to $8", "as for claim_insert"),
            ("$9", "the attempt as it was read"),
            ("$10", "claimed_at as it was read, exact to the microsecond"),
            ("$11", "true when the row counts as absent, false when it is a retry"),
            ("$12", "the fingerprint by the other rule (see FINGERPRINTS), or NULL"),
        ],
    ),
    (
        "claim_restamp",
        "Starts the lease and the ttl anew: of a claim that had to wait for another transaction, and of one that is \
         repeated with its own token.",
        &[
            ("$1", "the key"),
            ("$2", "the scope"),
            ("$3", "the token"),
            ("$4", "the lease in microseconds, or NULL"),
            ("$5", "the ttl in microseconds"),
        ],
    ),
    (
        "renew",
        "A heartbeat. It changes one row while the claim is yours.",
        &[
            ("$1", "the key"),
            ("$2", "the scope"),
            ("$3", "the token"),
            ("$4", "the new lease in microseconds, counted from now"),
        ],
    ),
    (
        "complete",
        "Stores the answer. It changes one row while the claim is yours.",
        &[
            ("$1", "the key"),
            ("$2", "the scope"),
            ("$3", "the token"),
            ("$4", "the answer's status"),
            ("$5", "the answer's headers (see ANSWERS), or NULL"),
            ("$6", "the answer's body, as bytes; NULL only when it is left out"),
            ("$7", "the true size of the body in bytes"),
        ],
    ),
    (
        "fail",
        "Stores that the work failed. It changes one row while the claim is yours.",
        &[
            ("$1 to $3", "as for complete"),
            ("$4 to $7", "the answer as for complete, or four NULLs when there is none"),
            ("$8", "the reason, for people; text without U+0000"),
            ("$9", "whether a later claim may try again"),
        ],
    ),
];

/// The columns of claim_read by their position.
const READ_COLUMNS: [(&str, &str); 23] = [
    ("1", "idempotency_key"),
    ("2", "scope"),
    ("3", "status"),
    ("4", "request_hash"),
    ("5", "response_status"),
    ("6", "response_headers"),
    ("7", "response_bytes"),
    ("8", "claim_token"),
    ("9", "attempt"),
    ("10", "owner"),
    ("11", "retry_allowed"),
    ("12", "failure"),
    ("13", "created_at"),
    ("14", "claimed_at"),
    ("15", "renewed_at"),
    ("16", "lease_expires_at"),
    ("17", "finished_at"),
    ("18", "expires_at"),
    ("19", "now"),
    ("20", "response_status"),
    ("21", "response_headers"),
    ("22", "response_body"),
    ("23", "response_bytes"),
];

pub fn page(version: &str) -> String {
    let mut page =
        Page::new("idemctl-protocol", 7, version, "the claim protocol, for programs in any language");
    description(&mut page);
    values(&mut page);
    steps(&mut page);
    decision_table(&mut page);
    outcomes(&mut page);
    fencing(&mut page);
    isolation(&mut page);
    fingerprints(&mut page);
    answers(&mut page);
    for (dialect, name) in [(Dialect::Postgres, "PostgreSQL"), (Dialect::Sqlite, "SQLite")] {
        statements(&mut page, dialect, name);
    }
    page.section("SEE ALSO");
    page.text("`idemctl`(1), `idemctl-migrate`(1), `idemctl-inspect`(1), `idemctl.toml`(5)");
    page.finish()
}

fn description(page: &mut Page) {
    page.section("DESCRIPTION");
    page.text(
        "A server claims an idempotency key before it does the work of a request, and stores its answer under the \
         key afterwards. Of any number of parallel claims of one key exactly one is told to do the work. Every \
         other one, and every later one, is told what became of it.",
    );
    page.text(
        "This page is the contract for programs that do this without the Rust library: the statements, their \
         parameters and their order. The statements are those that the library runs. A program that runs them \
         and programs that use the library or `idemctl run` can share one table.",
    );
    page.text(
        "The table is `idempotency_keys`. `idemctl migrate` creates it; `idemctl migrate print` prints its SQL. \
         Its primary key is (idempotency_key, scope). A program never deletes a row of it, and never changes one \
         but by these statements: `idemctl reap-stuck` takes claims away whose worker is lost, and `idemctl purge` \
         deletes what has expired.",
    );
}

fn values(page: &mut Page) {
    page.section("VALUES");
    page.item(
        "key",
        "Text of 1 to 255 bytes of UTF-8, compared byte for byte. The program refuses NUL and other control \
         characters itself (U+0000 to U+001F, U+007F to U+009F): the table checks the length alone.",
    );
    page.item(
        "scope",
        "On whose behalf the key is used: tenant, user, client. Text of at most 255 bytes under the same rules. \
         The empty string when there is none; never NULL.",
    );
    page.item(
        "token",
        "A random UUID (128 bits), made by the program before it claims, and a new one for every claim. \
         PostgreSQL: uuid. SQLite: text in lower case with hyphens, such as \
         0f8fad5b-d9cb-469f-a165-70867728950e.",
    );
    page.item(
        "ttl and lease",
        "Whole numbers of microseconds. The ttl is how long the key is remembered: 86400000000 is 24 hours. The \
         lease is how long the claim is protected from the reaper without a renewal: 60000000 is one minute. \
         Both are at least one second and at most 100 years; the program checks that. The parameters multiply an \
         interval in PostgreSQL, which takes them for double precision.",
    );
    page.item(
        "points in time",
        "The database's clock decides, always. No statement takes a time from the program, but for `claimed_at`, \
         which is given back as it was read. PostgreSQL: timestamptz. SQLite: whole microseconds since \
         1970-01-01T00:00:00Z. A language whose time type has no microseconds must carry `claimed_at` as text or \
         as a number; rounded, it matches no row.",
    );
    page.item("true and false", "PostgreSQL: boolean. SQLite: 1 and 0.");
    page.text(
        "SQLite reads `$1` as a name, not as a number: the first parameter that a statement mentions has index 1, \
         whatever its name. Bind by name there, or replace every $ by a question mark: ?1 is a number.",
    );
}

fn steps(page: &mut Page) {
    page.section("CLAIM");
    page.step("1.", "Make a token.");
    page.step(
        "2.",
        "Begin a transaction (see ISOLATION) and run `claim_insert`. If it changes one row, the key is yours with \
         attempt 1: go to step 6.",
    );
    page.step(
        "3.",
        "Run `claim_read`. If there is no row, it was deleted in between: go to step 2. Give up after 32 rounds.",
    );
    page.step(
        "4.",
        "Decide by the table in DECISION. If it gives any other outcome than Claimed, commit; that is the answer.",
    );
    page.step(
        "5.",
        "If it says take over, run `claim_take_over`. If it changes one row, the key is yours: attempt 1 when \
         $11 is true, and the attempt that was read plus one when it is false. If it changes none, somebody was \
         faster: go to step 2.",
    );
    page.step(
        "6.",
        "If the statement that gave you the key took longer than 100 ms, it has waited for another transaction, \
         and its moment lies before the wait: go to step 7. Otherwise go to step 8.",
    );
    page.step(
        "7.",
        "Run `claim_restamp` in the same transaction: it starts the lease and the ttl anew. A claim that finds your \
         own token is a repetition whose first answer was lost, maybe for longer than the lease. If no row is \
         changed, the claim was taken away in between: go to step 2.",
    );
    page.step("8.", "Commit. Only then do the work.");
    page.text(
        "PostgreSQL: where `SHOW synchronous_commit` says off, run `SET LOCAL synchronous_commit = on` first in each \
         of these transactions. A claim or a completion that a crash of the server forgets is executed a second \
         time.",
    );

    page.section("RENEW");
    page.text(
        "While the work takes longer than a third of the lease, run `renew` every third of it. No row changed means \
         that the claim is lost: the reaper or an operator has taken it away. Stop the work, and do not settle the \
         key.",
    );

    page.section("COMPLETE AND FAIL");
    page.text(
        "Run `complete` with the answer when the work is done. Run `fail` when it is not: $9 true lets the next \
         claim execute again; $9 false makes the failure final, and it is the answer to every retry until the key \
         expires.",
    );
    page.text(
        "If no row is changed, run `claim_read` in the same transaction. If the row still has your token and the \
         state that you wanted (`completed` after complete, `failed` after fail), you have settled it before: an \
         answer was lost on the way, and the first outcome stands. Otherwise the claim is stale. Nothing was \
         changed, and the work of somebody else may have taken the place of yours: roll back.",
    );
    page.text(
        "Each settlement counts the expiry afresh: now plus the span between `claimed_at` and `expires_at`, which \
         is the ttl of the claim. Where that is no span of at least one second, nobody knows the ttl, and it is 24 \
         hours. An expiry at the end of time stays.",
    );
    page.text(
        "`complete` and `fail` may run in the transaction of the work itself. Then no crash can leave the work \
         done and the key open. In such a transaction, no row changed always means to roll back: if you have \
         completed the key before, an earlier transaction has done the work, and this one would do it twice. \
         After a commit whose outcome is unknown, run `claim_read` first: your token and `completed` say that it \
         took effect.",
    );
}

/// A row of the decision table: the words, the outcome, and a row of that kind to prove it with.
fn decisions() -> Vec<(&'static str, &'static str, Option<Record>)> {
    let row = |status, fingerprint: &str, expires: i64, retry_allowed, own: bool| Record {
        status,
        fingerprint: Some(fingerprint.to_owned()),
        answer: Some(Answer { status: Some(201), headers: Vec::new(), body: Body::Kept(Vec::new()) }),
        token: Some(Token::from_u128(if own { 1 } else { 2 })),
        attempt: 3,
        owner: None,
        retry_allowed,
        failure: None,
        created_at: Timestamp::from_micros(0),
        claimed_at: Timestamp::from_micros(0),
        renewed_at: Timestamp::from_micros(0),
        lease_expires_at: None,
        finished_at: None,
        expires_at: Timestamp::from_micros(expires),
    };
    let same = Fingerprint::raw(b"same").to_string();
    let other = Fingerprint::raw(b"other").to_string();
    use Status::{Completed, Failed, InProgress};
    vec![
        (
            "completed or failed, and expires_at <= now",
            "take over, $11 true",
            Some(row(Completed, &other, 10, false, false)),
        ),
        (
            "in_progress, and claim_token is your token",
            "Claimed, with the attempt that was read: go to step 7",
            Some(row(InProgress, &other, 10, true, true)),
        ),
        ("in_progress, and expires_at <= now", "InProgress", Some(row(InProgress, &other, 10, true, false))),
        ("the fingerprints differ", "Mismatch", Some(row(InProgress, &other, 11, true, false))),
        ("in_progress", "InProgress", Some(row(InProgress, &same, 11, true, false))),
        ("completed", "Replay", Some(row(Completed, &same, 11, false, false))),
        ("failed, and retry_allowed", "take over, $11 false", Some(row(Failed, &same, 11, true, false))),
        ("failed", "FailedFinal", Some(row(Failed, &same, 11, false, false))),
    ]
}

fn decision_table(page: &mut Page) {
    page.section("DECISION");
    page.text(
        "The first line that fits counts. `now` is the moment that `claim_read` returned, no other clock. The \
         order matters: with the fingerprint before the expiry, an expired key would conflict for ever; with the \
         state before the fingerprint, the wrong payload would be told to wait.",
    );
    let key = Key::new("order-1042").unwrap();
    let mut claim = Claim::new(key, Scope::none()).with_fingerprint(Fingerprint::raw(b"same"));
    claim.token = Token::from_u128(1);
    let mut table = String::new();
    for (condition, words, record) in decisions() {
        let decided = match decide(record.as_ref(), &claim, Timestamp::from_micros(10)) {
            Decision::Acquire { as_absent, .. } => format!("take over, $11 {as_absent}"),
            Decision::Answer(outcome) => name(&outcome).to_owned(),
        };
        assert!(words.starts_with(&decided), "{condition}: {decided} and not {words}");
        table.push_str(&format!("{condition:<45} {words}\n"));
    }
    page.code(&table);
    page.text("Fingerprints differ only when both sides have one (see FINGERPRINTS).");
}

fn name(outcome: &ClaimOutcome) -> &'static str {
    match outcome {
        ClaimOutcome::Claimed { .. } => "Claimed",
        ClaimOutcome::Replay { .. } => "Replay",
        ClaimOutcome::InProgress { .. } => "InProgress",
        ClaimOutcome::FailedFinal { .. } => "FailedFinal",
        ClaimOutcome::Mismatch => "Mismatch",
    }
}

fn outcomes(page: &mut Page) {
    page.section("OUTCOMES");
    page.item("Claimed", "Do the work, then complete or fail.");
    page.item(
        "Replay",
        "The work is done. Send the stored status, headers and body, byte for byte. Many servers add the header \
         Idempotent-Replayed: true.",
    );
    page.item(
        "InProgress",
        "Somebody is at work. HTTP servers answer 409 with Retry-After, or wait and claim again.",
    );
    page.item(
        "FailedFinal",
        "The work failed and must not be tried again. Send the stored answer; where none is stored, 409.",
    );
    page.item("Mismatch", "The key was used for another request. HTTP servers answer 422, some 409.");
}

fn fencing(page: &mut Page) {
    page.section("TOKENS");
    page.text(
        "The token fences out a worker that was taken for lost and wakes up later: `renew`, `complete` and `fail` \
         compare it, and change nothing once the key belongs to somebody else. It is never a counter from the \
         row: after a purge the counter would start again, and the old worker would settle the claim of its \
         successor.",
    );
    page.text(
        "The token also makes every call safe to repeat. When the connection breaks and nobody knows whether the \
         commit took effect, make the same call again with the same token: it gives the first outcome again.",
    );
}

fn isolation(page: &mut Page) {
    page.section("ISOLATION");
    page.text(
        "PostgreSQL: every call is a transaction under READ COMMITTED, set explicitly (BEGIN ISOLATION LEVEL READ \
         COMMITTED), since the default of the database may be another. Under REPEATABLE READ, `claim_read` does \
         not see the row that the insert met, and parallel claims end in serialization errors. Set \
         `lock_timeout` and `statement_timeout`; the library uses 1s and 30s.",
    );
    page.text(
        "SQLite (3.37 or later): every writing call is a transaction that begins with BEGIN IMMEDIATE, after PRAGMA \
         busy_timeout. A plain BEGIN that turns into a write later fails at once when somebody else writes. \
         PRAGMA synchronous = FULL: a claim that a power cut undoes would be executed twice.",
    );
    page.text(
        "Roll back and make the call again, a few times and with random pauses, after a serialization failure \
         (SQLSTATE 40001), a deadlock (40P01), a lock timeout (55P03), or SQLITE_BUSY.",
    );
    page.text(
        "In a transaction of your own a claim has no lease ($7 NULL) and nobody can renew it: it is visible when \
         you commit, and gone when you roll back. Parallel claims of the key wait for that, up to their lock \
         timeout, instead of hearing InProgress. After a stale claim or any error, roll back and start again.",
    );
}

fn fingerprints(page: &mut Page) {
    page.section("FINGERPRINTS");
    page.text(
        "A fingerprint tells whether a key is used again for another request. It is a prefix that names the rule, \
         and 64 hexadecimal digits in lower case: the SHA-256 of a head and a body, one directly after the other.",
    );
    page.item("sha256:", "The body's bytes as they are.");
    page.item(
        "sha256-jcs:",
        "The body is JSON, and its canonical form by RFC 8785 is hashed. One addition: a number that a double \
         does not hold exactly stays as it is written. A document that names a member twice, or is nested deeper \
         than 100 levels, has no canonical form.",
    );
    page.text(
        "The head is the JSON list of method, path and query, without white space between its parts, and a line \
         feed. A program that has no HTTP request hashes without a head.",
    );
    page.text("A worked example: POST /orders?dry=1 with the body {\"to\": \"A\", \"amount\": 10.0}. As canonical JSON:");
    let body = br#"{"to": "A", "amount": 10.0}"#;
    let (method, path, query) = ("POST", "/orders", "dry=1");
    page.code(
        "printf '%s\\n%s' '[\"POST\",\"/orders\",\"dry=1\"]' '{\"amount\":10,\"to\":\"A\"}' | sha256sum",
    );
    page.text("This gives the fingerprint");
    page.code(&Fingerprint::json_request(method, path, query, body).unwrap().to_string());
    page.text("As raw bytes:");
    page.code(
        "printf '%s\\n%s' '[\"POST\",\"/orders\",\"dry=1\"]' '{\"to\": \"A\", \"amount\": 10.0}' | sha256sum",
    );
    page.text("This gives the fingerprint");
    page.code(&Fingerprint::request(method, path, query, body).to_string());
    page.text(
        "To compare, recompute by the rule of the stored prefix: equal text is the same request. If the rule \
         can't be applied to the request (the body is no JSON, or the prefix is unknown), they differ. If the row \
         or the claim has no fingerprint, they do not differ. `claim_take_over` compares again: `$3` is the \
         fingerprint by your own rule, and `$12` the same request by the other one, or NULL where there is none. \
         A program that uses one rule alone, on a table where nobody uses the other, may leave $12 NULL.",
    );
    page.text("A fingerprint once stored stays when a retry brings another spelling of it, or none.");
}

fn answers(page: &mut Page) {
    page.section("ANSWERS");
    page.item("status", "The HTTP status, or the exit code of a command.");
    page.item(
        "headers",
        "A JSON list of pairs, as text. Order is kept, and a name may come several times. A value that is not \
         UTF-8 is an object with its bytes in base64 (the standard alphabet, padded). No header is NULL.",
    );
    page.text("For example a Location, two cookies, and a value of the bytes FF 00 FE:");
    page.code(
        "[[\"Location\",\"/orders/1042\"],[\"Set-Cookie\",\"a=1\"],[\"Set-Cookie\",\"b=2\"],\
         [\"X-Raw\",{\"base64\":\"/wD+\"}]]",
    );
    page.item(
        "body",
        "Bytes, kept as they are. An empty body is zero bytes, and not NULL. NULL means that the body was too \
         large to be kept. The library's limit is 1 MiB (1048576 bytes). A larger body is never cut: complete the \
         key without it, since what has been executed must not run again.",
    );
    page.item("size", "The true size of the body in bytes, kept or not.");
}

fn statements(page: &mut Page, dialect: Dialect, dialect_name: &str) {
    page.section(&format!("STATEMENTS: {}", dialect_name.to_uppercase()));
    let rendered = protocol_statements(dialect).unwrap();
    assert_eq!(rendered.len(), STATEMENTS.len());
    for ((name, purpose, binds), (rendered_name, sql)) in STATEMENTS.iter().zip(&rendered) {
        assert_eq!(name, rendered_name);
        assert_eq!(described(binds, name), mentioned(sql), "{name}: the parameters that are described");
        page.subsection(&format!("{name} ({dialect_name})"));
        page.text(purpose);
        for (parameter, meaning) in *binds {
            page.item(parameter, &format!("{meaning}."));
        }
        page.code(sql);
        if *name == "claim_read" {
            read_columns(page, sql);
        }
    }
}

/// The columns of `claim_read`, which have no names of their own.
fn read_columns(page: &mut Page, sql: &str) {
    let list = sql.strip_prefix("SELECT ").and_then(|rest| rest.split_once("\nFROM")).unwrap().0;
    // A comma inside parentheses separates no columns.
    let mut depth = 0;
    let mut columns = vec![String::new()];
    for c in list.chars() {
        match c {
            ',' if depth == 0 => columns.push(String::new()),
            c => {
                depth += i32::from(c == '(') - i32::from(c == ')');
                columns.last_mut().unwrap().push(c);
            }
        }
    }
    assert_eq!(columns.len(), READ_COLUMNS.len());
    for (column, (_, name)) in columns.iter().zip(READ_COLUMNS) {
        let column = column.trim().trim_matches(['"', '`']);
        assert!(column == name || name == "now", "{column} and not {name}");
    }
    page.text("Read the columns by their position, since three names come twice:");
    let words: Vec<String> = READ_COLUMNS.iter().map(|(at, name)| format!("{at} {name}")).collect();
    page.code(&words.chunks(4).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n"));
    page.text("19 is the moment of the reading; 20 to 23 are the answer. If these four are all NULL, there is none.");
}

/// The parameters that a statement mentions.
fn mentioned(sql: &str) -> BTreeSet<u32> {
    let starts = sql.match_indices('$').map(|(at, _)| &sql[at + 1..]);
    starts
        .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap())
        .collect()
}

/// The parameters that are described: `$1`, or `$1 to $8`.
fn described(binds: &[(&str, &str)], name: &str) -> BTreeSet<u32> {
    let number = |text: &str| -> u32 { text.trim_start_matches('$').parse().expect(name) };
    binds
        .iter()
        .flat_map(|(parameters, _)| match parameters.split_once(" to ") {
            Some((from, to)) => number(from)..=number(to),
            None => number(parameters)..=number(parameters),
        })
        .collect()
}

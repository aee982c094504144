//! Every setting of `[[table]]` with its type, its meaning and an example: what idemctl.toml(5) says of tables
//! that a team already has.

/// One setting of `[[table]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableSettingReference {
    /// Its place below `[[table]]`: `clock.created`.
    pub key: &'static str,
    /// What its value may be.
    pub kind: &'static str,
    /// What it is for, and what happens without it.
    pub meaning: &'static str,
    /// A value, as it stands in the file.
    pub example: &'static str,
}

const COLUMN: &str = "string, a column";
const COLUMNS: &str = "string or list of strings, columns";
const VALUES: &str = "list of strings, integers or booleans";
const CLOCK: &str = "table: column, and as (see CLOCKS)";
const STATE: &str = "in_progress, completed or failed";

const fn setting(
    key: &'static str,
    kind: &'static str,
    example: &'static str,
    meaning: &'static str,
) -> TableSettingReference {
    TableSettingReference { key, kind, meaning, example }
}

/// In the order in which one writes a mapping. The test below fails when one is missing.
const SETTINGS: &[TableSettingReference] = &[
    setting(
        "name",
        "string, a table",
        "\"payments.idempotency_keys\"",
        "The table, quoted exactly as it is written here; a schema stands before a dot. A part with a dot in it \
         stands in double quotes. The flag --table picks one where several are configured. It must be set.",
    ),
    setting(
        "key",
        COLUMNS,
        "[\"idempotency_key\"]",
        "The columns that make up the key. It must be set. A key of several columns is named on the command \
         line by --key COLUMN=VALUE for each.",
    ),
    setting(
        "scope",
        COLUMNS,
        "[\"tenant_id\"]",
        "The columns that keep equal keys apart: tenant, user, route. They may hold NULL, which \
         --scope-null COLUMN names. Unset is a table without scopes.",
    ),
    setting(
        "locator",
        COLUMNS,
        "[\"id\"]",
        "Columns that name a single row and hold no NULL. Unset is the database's own name for a row, and \
         the primary key in an SQLite table WITHOUT ROWID.",
    ),
    setting(
        "guard",
        "table: columns and their values",
        "{ region = \"eu\" }",
        "Only rows with these values are ours: every statement asks for them, and no command sees another row.",
    ),
    setting(
        "reopens",
        "true or false",
        "true",
        "Whether the application claims unfinished rows again in place. An old row may then be freshly at work: \
         without clock.alive or clock.lease reap-stuck and list --stuck are refused. Default: false. It may \
         stand below [table.clock] as well.",
    ),
    setting(
        "state.column",
        COLUMN,
        "\"status\"",
        "The column whose values stand for states. Exactly one of state.column, state.null_means_in_progress and \
         state.always must be set, or state.set_means_in_progress alone.",
    ),
    setting(
        "state.in_progress",
        VALUES,
        "[\"started\", \"charged\"]",
        "Values of state.column that mean in progress. A value in none of the lists is an unknown state: \
         such a row is never changed and never deleted, but counted and reported (exit 6).",
    ),
    setting("state.completed", VALUES, "[\"finished\"]", "Values of state.column that mean completed."),
    setting("state.failed", VALUES, "[\"failed\"]", "Values of state.column that mean failed."),
    setting(
        "state.keep",
        VALUES,
        "[\"archived\", \"disputed\"]",
        "Values of state.column whose rows stay on purpose: no pass purges or reaps them, whatever their clocks say, \
         and none warns of them. list, inspect and stats show them as kept; only forget --force deletes one.",
    ),
    setting(
        "state.null",
        "in_progress, completed, failed or keep",
        "\"in_progress\"",
        "What NULL in state.column means. Unset, it is an unknown state as any value that is not listed.",
    ),
    setting(
        "state.null_means_in_progress",
        COLUMNS,
        "[\"response_status\", \"response_body\"]",
        "A row is in progress while all of these are NULL, and completed otherwise. Never the body alone \
         where answers without a body (204) are stored.",
    ),
    setting(
        "state.set_means_in_progress",
        "columns: names, or tables of column and unset",
        "[\"locked_at\", { column = \"lock_version\", unset = [0] }]",
        "Columns that are set while a worker is at the row: a lock, an owner, a flag. While one of them is set, a \
         row that is else completed or failed is in progress. Alone, all other rows are completed. A flag is set \
         while it is true, any other column while it is not NULL; where other values mean that it is not set, \
         unset lists them. [table.fail] must clear each of them. A state that is kept or unknown stays that.",
    ),
    setting("state.always", STATE, "\"completed\"", "Every row is in this state: a row that exists is done."),
    setting(
        "clock.created",
        CLOCK,
        "{ column = \"created_at\", as = \"timestamptz\" }",
        "When the row was made. Without it, and without clock.claimed, clock.alive, or clock.ttl beside clock.expires, \
         nobody can say which row is stuck: reap-stuck and list --stuck are refused.",
    ),
    setting(
        "clock.claimed",
        CLOCK,
        "{ column = \"locked_at\", as = \"timestamptz\" }",
        "When the key was acquired last, where that is another column than clock.created.",
    ),
    setting(
        "clock.alive",
        CLOCK,
        "{ column = \"last_run_at\", as = \"timestamptz\" }",
        "The worker's last heartbeat. Where it is NULL, clock.claimed or clock.created counts.",
    ),
    setting(
        "clock.lease",
        CLOCK,
        "{ column = \"locked_until\", as = \"timestamptz\" }",
        "Until when a claim holds. A row in progress whose lease still runs is never stuck.",
    ),
    setting(
        "clock.finished",
        CLOCK,
        "{ column = \"completed_at\", as = \"timestamptz\" }",
        "When the key was settled; only shown.",
    ),
    setting(
        "clock.expires",
        CLOCK,
        "{ column = \"expires_at\", as = \"timestamptz\" }",
        "When the row expires. Without it and without clock.ttl purge is refused.",
    ),
    setting(
        "clock.ttl",
        "duration, 1s to 100 years",
        "\"24h\"",
        "How long after clock.created a row expires. In place of clock.expires, or beside it with \
         clock.null_expires = \"ttl\". Beside clock.expires in a table without clock.created it tells the age: every \
         row was made so long before it expires.",
    ),
    setting(
        "clock.null_expires",
        "never or ttl",
        "\"ttl\"",
        "What NULL in clock.expires means: the row never expires, or clock.ttl after clock.created. \
         Default: never.",
    ),
    setting(
        "clock.reopens",
        "true or false",
        "true",
        "The same as reopens; said twice, it must be said alike.",
    ),
    setting(
        "fail.set",
        "table: columns and values",
        "{ status = \"failed\" }",
        "What reap-stuck and fail write into a row whose claim is taken away. Without [table.fail] both are \
         refused.",
    ),
    setting("fail.set_null", COLUMNS, "[\"locked_at\"]", "Columns that become NULL then."),
    setting(
        "fail.set_now",
        COLUMNS,
        "[\"updated_at\"]",
        "Columns that get the moment of the change, written as their clock is.",
    ),
    setting(
        "fail.delete",
        "true or false",
        "true",
        "In place of the others: the row is deleted, and the key is new.",
    ),
    setting(
        "release.set",
        "table: columns and values",
        "{ status = \"open\" }",
        "What release writes into a failed row so that it may be tried again. Without [table.release] it is \
         refused.",
    ),
    setting("release.set_null", COLUMNS, "[\"failed_at\"]", "Columns that become NULL then."),
    setting("release.set_now", COLUMNS, "[\"updated_at\"]", "Columns that get the moment of the change."),
    setting("release.delete", "true or false", "true", "In place of the others: the row is deleted."),
    setting(
        "claim.expired",
        "blocks or absent",
        "\"blocks\"",
        "How the application's own claim treats an expired row: as if it had not expired, or as if it were not \
         there. Unset, the verdict on such a row is unknown.",
    ),
    setting(
        "claim.failed",
        "retry or final",
        "\"retry\"",
        "What a retry of a failed row gets: it executes, or it gets the failure. Unset, the verdict on such a \
         row is unknown.",
    ),
    setting("show.request_hash", COLUMN, "\"request_hash\"", "The request's fingerprint, for inspect."),
    setting(
        "show.response_status",
        COLUMN,
        "\"response_code\"",
        "The answer's status. list --response-status needs it, or show.response.status.",
    ),
    setting("show.response_headers", COLUMN, "\"response_headers\"", "The answer's headers."),
    setting(
        "show.response_body",
        COLUMN,
        "\"response_body\"",
        "The answer's body. replay needs this, show.response or show.response_ref. From a column of JSON it \
         comes as the database writes it.",
    ),
    setting(
        "show.response.column",
        COLUMN,
        "\"response_snapshot\"",
        "The whole answer as one JSON document, in place of show.response_body.",
    ),
    setting(
        "show.response.status",
        "string, a member",
        "\"status\"",
        "The member of that document that holds the status; dots lead into objects.",
    ),
    setting(
        "show.response.body",
        "string, a member",
        "\"body\"",
        "The member that holds the body. Unset, the document is the body.",
    ),
    setting(
        "show.response_ref",
        COLUMN,
        "\"order_id\"",
        "A reference to what the request created, where that is what is stored.",
    ),
    setting("show.attempt", COLUMN, "\"attempts\"", "Which try it is: a whole number."),
    setting("show.owner", COLUMN, "\"locked_by\"", "The worker."),
    setting("show.failure", COLUMN, "\"error\"", "Why it failed."),
    setting(
        "purge.schedule",
        "string, a crontab expression",
        "\"*/10 * * * *\"",
        "When the janitor purges this table. What is not set below [table.purge] is as in [purge].",
    ),
    setting("purge.grace", "duration", "\"2h\"", "As purge.grace."),
    setting("purge.min_batch", "integer, rows", "100", "As purge.min_batch."),
    setting("purge.max_batch", "integer, rows", "5000", "As purge.max_batch."),
    setting("purge.batch_target", "duration", "\"5ms\"", "As purge.batch_target."),
    setting("purge.duty", "number above 0 and up to 1", "0.5", "As purge.duty."),
    setting("purge.max_rows_per_second", "integer, rows", "2000", "As purge.max_rows_per_second."),
    setting("purge.max_duration", "duration", "\"4m\"", "As purge.max_duration."),
    setting("purge.max_lag", "duration", "\"30s\"", "As purge.max_lag."),
    setting("purge.allow_cascade", "true or false", "true", "As purge.allow_cascade."),
    setting(
        "reap.schedule",
        "string, a crontab expression",
        "\"* * * * *\"",
        "When the janitor reaps this table.",
    ),
    setting(
        "reap.older_than",
        "duration of at least 1s, or off",
        "\"15m\"",
        "After how long without a heartbeat a row in progress is stuck. Unset here and in [reap], reaping is off: the \
         default of reap.older_than is for the table that idemctl creates.",
    ),
    setting("reap.retry", "allow or block", "\"block\"", "As reap.retry."),
];

/// Every setting of `[[table]]`, in the order in which one writes a mapping.
pub fn table_reference() -> &'static [TableSettingReference] {
    SETTINGS
}

#[cfg(test)]
mod tests;

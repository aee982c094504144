-- The table of idempotency keys, and the audit of the changes that operators and the reaper make.
-- Points in time are microseconds since 1970-01-01T00:00:00Z.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    idempotency_key  TEXT NOT NULL CHECK (length(CAST(idempotency_key AS BLOB)) BETWEEN 1 AND 255),
    scope            TEXT NOT NULL DEFAULT '' CHECK (length(CAST(scope AS BLOB)) <= 255),
    status           TEXT NOT NULL CHECK (status IN ('in_progress', 'completed', 'failed')),
    request_hash     TEXT,
    response_status  INTEGER,
    response_headers TEXT,
    response_body    BLOB,
    response_bytes   INTEGER,
    claim_token      TEXT,
    attempt          INTEGER NOT NULL DEFAULT 1,
    owner            TEXT,
    retry_allowed    INTEGER NOT NULL DEFAULT 1 CHECK (retry_allowed IN (0, 1)),
    failure          TEXT,
    created_at       INTEGER NOT NULL,
    claimed_at       INTEGER NOT NULL,
    renewed_at       INTEGER NOT NULL,
    lease_expires_at INTEGER,
    finished_at      INTEGER,
    expires_at       INTEGER NOT NULL,
    PRIMARY KEY (idempotency_key, scope)
) STRICT;
CREATE TABLE IF NOT EXISTS idemctl_audit (
    id              INTEGER PRIMARY KEY,
    at              INTEGER NOT NULL,
    table_name      TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    scope           TEXT NOT NULL,
    command         TEXT NOT NULL,
    action          TEXT NOT NULL,
    actor           TEXT,
    host            TEXT,
    reason          TEXT,
    row_before      TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS idemctl_audit_key ON idemctl_audit (table_name, idempotency_key, at);
CREATE INDEX IF NOT EXISTS idemctl_audit_at ON idemctl_audit (at);

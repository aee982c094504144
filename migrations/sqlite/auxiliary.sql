-- What idemctl needs beside a table that is not its own: the audit of the changes that operators and the
-- reaper make. Word for word as in 0001_tables, so that a database may have both.
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
-- What `idemctl pause` sets and every janitor of this database obeys: at most one row. A pause without
-- an end lasts until somebody resumes.
CREATE TABLE IF NOT EXISTS idemctl_pause (
    id      INTEGER PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    reason  TEXT NOT NULL,
    since   INTEGER NOT NULL,
    until   INTEGER,
    actor   TEXT,
    host    TEXT
) STRICT;

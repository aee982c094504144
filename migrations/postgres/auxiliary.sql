-- What idemctl needs beside a table that is not its own: the audit of the changes that operators and the
-- reaper make. Word for word as in 0001_tables, so that a database may have both.
CREATE TABLE IF NOT EXISTS idemctl_audit (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at              timestamptz NOT NULL,
    table_name      text NOT NULL,
    idempotency_key text NOT NULL,
    scope           text NOT NULL,
    command         text NOT NULL,
    action          text NOT NULL,
    actor           text,
    host            text,
    reason          text,
    row_before      text
);
CREATE INDEX IF NOT EXISTS idemctl_audit_key ON idemctl_audit (table_name, idempotency_key, at);
CREATE INDEX IF NOT EXISTS idemctl_audit_at ON idemctl_audit (at);
-- What `idemctl pause` sets and every janitor of this database obeys: at most one row. A pause without
-- an end lasts until somebody resumes.
CREATE TABLE IF NOT EXISTS idemctl_pause (
    id      integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    reason  text NOT NULL,
    since   timestamptz NOT NULL,
    until   timestamptz,
    actor   text,
    host    text
);

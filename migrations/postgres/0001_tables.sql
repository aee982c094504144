-- The table of idempotency keys, and the audit of the changes that operators and the reaper make.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    -- "C": compared byte for byte, whatever the database's locale.
    idempotency_key  text COLLATE "C" NOT NULL
        CHECK (octet_length(idempotency_key) BETWEEN 1 AND 255),
    scope            text COLLATE "C" NOT NULL DEFAULT ''
        CHECK (octet_length(scope) <= 255),
    status           text NOT NULL
        CHECK (status IN ('in_progress', 'completed', 'failed')),
    request_hash     text,
    response_status  integer,
    -- text, not jsonb: the promise is the same bytes.
    response_headers text,
    response_body    bytea,
    response_bytes   bigint,
    claim_token      uuid,
    attempt          integer NOT NULL DEFAULT 1,
    owner            text,
    retry_allowed    boolean NOT NULL DEFAULT true,
    failure          text,
    created_at       timestamptz NOT NULL,
    claimed_at       timestamptz NOT NULL,
    renewed_at       timestamptz NOT NULL,
    lease_expires_at timestamptz,
    finished_at      timestamptz,
    expires_at       timestamptz NOT NULL,
    PRIMARY KEY (idempotency_key, scope)
);
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

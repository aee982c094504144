-- What the migrations themselves need: who may run them, and which ones ran.
-- Runs in one transaction under a transaction-level advisory lock.
-- The last three columns of idemctl_lease say what the last pass did: when it began, when one last came to
-- its end, and its rows per second.
CREATE TABLE IF NOT EXISTS idemctl_lease (
    table_name text NOT NULL,
    pass       text NOT NULL,
    holder     text,
    until      timestamptz NOT NULL,
    last_started timestamptz,
    last_success timestamptz,
    rate         bigint,
    PRIMARY KEY (table_name, pass)
);
CREATE TABLE IF NOT EXISTS idemctl_migrations (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL
);

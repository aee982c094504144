-- What the migrations themselves need: who may run them, and which ones ran.
-- The last three columns of idemctl_lease say what the last pass did: when it began, when one last came to
-- its end, and its rows per second.
CREATE TABLE IF NOT EXISTS idemctl_lease (
    table_name TEXT NOT NULL,
    pass       TEXT NOT NULL,
    holder     TEXT,
    until      INTEGER NOT NULL,
    last_started INTEGER,
    last_success INTEGER,
    rate         INTEGER,
    PRIMARY KEY (table_name, pass)
) STRICT;
CREATE TABLE IF NOT EXISTS idemctl_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    checksum   TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

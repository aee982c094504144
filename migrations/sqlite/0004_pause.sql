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

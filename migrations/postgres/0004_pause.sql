-- What `idemctl pause` sets and every janitor of this database obeys: at most one row.
CREATE TABLE IF NOT EXISTS idemctl_pause (
    id      integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    reason  text NOT NULL,
    since   timestamptz NOT NULL,
    -- NULL: until somebody resumes.
    until   timestamptz,
    actor   text,
    host    text
);

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

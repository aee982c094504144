-- Whether the audit table is there: an adopted table works without it.
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'idemctl_audit'

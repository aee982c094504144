-- Whether the audit table is there: an adopted table works without it.
SELECT CAST(to_regclass('idemctl_audit') IS NOT NULL AS integer)

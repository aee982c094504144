-- Which migrations the database has; and, at no round trip of their own, whether row level security applies to
-- this role on the table or its audit, and whether the server is a standby.
SELECT version, checksum, applied_at,
    COALESCE(row_security_active(to_regclass('idempotency_keys')), false)
        OR COALESCE(row_security_active(to_regclass('idemctl_audit')), false),
    pg_is_in_recovery()
FROM {migrations} ORDER BY version

-- What server this is and what it makes of this role: version, standby, what a transaction without a word of
-- its own may write, role, database, the role's own time limits in milliseconds, and what the role may see.
SELECT
    split_part(current_setting('server_version'), ' ', 1),
    pg_is_in_recovery(),
    (SELECT reset_val = 'on' FROM pg_settings WHERE name = 'default_transaction_read_only'),
    CAST(current_user AS text),
    CAST(current_database() AS text),
    (SELECT CAST(reset_val AS bigint) FROM pg_settings WHERE name = 'statement_timeout'),
    (SELECT CAST(reset_val AS bigint) FROM pg_settings WHERE name = 'lock_timeout'),
    r.rolsuper,
    pg_has_role('pg_read_all_stats', 'USAGE'),
    current_setting('autovacuum') = 'on',
    {now}
FROM pg_roles AS r
WHERE r.rolname = current_user

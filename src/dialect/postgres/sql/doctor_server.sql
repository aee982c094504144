-- What server this is: version, whether it is a standby, role, database, encoding, and its clock. Nothing here
-- can be closed to a role.
SELECT
    split_part(current_setting('server_version'), ' ', 1),
    pg_is_in_recovery(),
    CAST(current_user AS text),
    CAST(current_database() AS text),
    current_setting('server_encoding'),
    current_setting('autovacuum') = 'on',
    {now}

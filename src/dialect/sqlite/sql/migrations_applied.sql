-- Which migrations the database has; what follows is PostgreSQL's alone.
SELECT version, checksum, applied_at, false, false FROM {migrations} ORDER BY version

-- The schema that holds the table of this name, or in which it would be made.
SELECT CAST(COALESCE(
    (SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.oid = to_regclass($1)),
    current_schema()) AS text)

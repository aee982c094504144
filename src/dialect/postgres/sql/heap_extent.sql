-- How many heap blocks the largest of the tables that hold the rows has, and how many tables those are: one, or
-- the children of a partitioned table or of one that others inherit from. What other sessions have as
-- temporary tables is nobody else's.
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid)
SELECT max(pg_relation_size(c.oid)) / CAST(current_setting('block_size') AS bigint), count(*)
FROM tree
JOIN pg_class AS c ON c.oid = tree.oid
WHERE c.relkind = 'r' AND NOT pg_is_other_temp_schema(c.relnamespace)

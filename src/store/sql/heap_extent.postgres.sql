-- How many heap blocks the table has; of a partitioned one, its largest partition.
SELECT GREATEST(
    pg_relation_size(to_regclass($1)),
    (SELECT max(pg_relation_size(relid)) FROM pg_partition_tree(to_regclass($1)) WHERE isleaf))
    / CAST(current_setting('block_size') AS bigint)

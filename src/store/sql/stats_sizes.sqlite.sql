-- The largest row number stands for the rows; the bytes are the whole file's, and its free pages'.
SELECT
    (SELECT COALESCE(max({rowid}) - min({rowid}) + 1, 0) FROM {table} WHERE $1 IS NOT NULL),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size)

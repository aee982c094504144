-- The bytes are the whole file's, and its free pages'. SQLite keeps no number of rows; that of the row numbers
-- between the first and the last stands for it, unless so many rows could not lie in the file: then they are far
-- apart, and say nothing.
SELECT
    (SELECT CASE WHEN r.span <= (SELECT page_count * page_size / 8 FROM pragma_page_count, pragma_page_size) THEN r.span END
     FROM (SELECT max({rowid}) - min({rowid}) + 1 AS span FROM {table} WHERE $1 IS NOT NULL) AS r),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size)

-- The statements that made the tables; their checks are found in the text.
SELECT s.rowid, s.sql FROM sqlite_master AS s WHERE s.type = 'table' AND s.sql IS NOT NULL ORDER BY 1

-- SQLite keeps no such number; the largest rowid is close in a table whose rows come and go in order.
SELECT max({rowid}) FROM {table} WHERE $1 IS NOT NULL

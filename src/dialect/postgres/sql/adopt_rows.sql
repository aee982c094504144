-- Some rows of a table, each value as text and cut: a part of the table that is found without reading it to its end.
SELECT {columns}
FROM {table} AS t{sample}
{part}
LIMIT {rows}

-- As for PostgreSQL, with the way in which each value is stored before it: a column's type binds no value.
SELECT {columns}
FROM {table} AS t{sample}
{part}
LIMIT {rows}

-- One page of rows: conditions, order and page size are added by the query's builder.
SELECT {record}, {now}
FROM {table}

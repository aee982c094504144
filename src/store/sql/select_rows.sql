-- One page of rows: conditions, order and page size come in by {selected}.
SELECT {record}, {now}
FROM {table}{selected}

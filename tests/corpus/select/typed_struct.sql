-- STRUCT with types converts its values
select struct<a int64, b string>(1, 'x') as s, struct<float64, d date>(1, '2026-01-31') as converted, struct<string, n int64>(id, null) as of_column, struct<array<int64>, t struct<u int64>>([], struct(length(id))) as nested from edge_logs order by id, timestamp

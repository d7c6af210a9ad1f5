-- What in a format means what a C library makes of it is BigQuery's own
select format_date('%3d', date '2024-05-05') as a, format_date('%J', date '2024-05-05') as b, format_timestamp('%Ec', timestamp) as c, format_date('%-H', date '2024-05-05') as d, parse_date('%-d', id) as e, format_date('%-Y', date '2024-05-05') as f from edge_logs

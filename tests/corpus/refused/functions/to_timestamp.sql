-- TO_TIMESTAMP is written TIMESTAMP_SECONDS or PARSE_TIMESTAMP
select to_timestamp('2026-01-01') as t

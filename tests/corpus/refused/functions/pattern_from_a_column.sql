-- A pattern must be a literal
select regexp_contains('a', concat('(', event_message)) as v from edge_logs

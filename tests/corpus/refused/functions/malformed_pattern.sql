-- A malformed regular expression
select regexp_contains(id, '(') from edge_logs

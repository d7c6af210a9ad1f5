-- REGEXP_MATCHES is written REGEXP_EXTRACT_ALL
select regexp_matches(id, 'a') as x from edge_logs

--! redact
-- A record that is NULL wherever it is
select id, metadata[safe_ordinal(2)] as second from edge_logs order by id

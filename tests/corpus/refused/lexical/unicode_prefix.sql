-- Prefixes of other dialects
select u&'\0041' from edge_logs

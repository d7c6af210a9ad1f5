-- The part of DATE_TRUNC is no text
select date_trunc('day', timestamp) as t from edge_logs

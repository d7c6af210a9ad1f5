-- Columns that nobody reads are not read
with x as (select id, event_message, metadata from edge_logs) select count(id) as n from x

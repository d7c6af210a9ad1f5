--! redact
-- Generated names give way to those of the caller
select event_message as order_1, id as d from edge_logs order by timestamp desc, id limit 4

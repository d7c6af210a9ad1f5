-- A dotted name that begins with a sub-table is a foreign table
select (select string_agg(event_message) from edge_logs.edge) from edge_logs t

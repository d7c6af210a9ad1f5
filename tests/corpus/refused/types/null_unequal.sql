-- Nothing differs from NULL by !=
select id from edge_logs where event_message != null

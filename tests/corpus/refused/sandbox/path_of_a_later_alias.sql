-- A dotted name is an array path only after its alias
select e.event_message from logs.edge e, edge_logs as logs

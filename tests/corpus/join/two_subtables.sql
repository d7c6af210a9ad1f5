-- A join of two sub-tables
select e.id, f.event_message from edge_logs as e join function_edge_logs as f on e.id = f.id limit 5

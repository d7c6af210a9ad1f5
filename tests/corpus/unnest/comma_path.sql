-- A correlated array path after a comma
select r.method from edge_logs t, t.metadata m, m.request r limit 1

-- LEN is written LENGTH
select len(id) as n from edge_logs

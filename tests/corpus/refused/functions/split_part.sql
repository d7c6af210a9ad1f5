-- SPLIT_PART is written SPLIT
select split_part(id, '-', 1) as x from edge_logs

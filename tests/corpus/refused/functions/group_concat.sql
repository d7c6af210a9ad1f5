-- GROUP_CONCAT is written STRING_AGG
select group_concat(id) as x from edge_logs

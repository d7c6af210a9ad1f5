-- There are no unsigned integers
select cast(id as unsigned) as x from edge_logs

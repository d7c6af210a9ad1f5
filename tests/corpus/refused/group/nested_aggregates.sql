-- An aggregate function inside another
select sum(count(*)) from edge_logs

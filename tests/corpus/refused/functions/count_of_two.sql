-- COUNT has one argument
select count(distinct id, timestamp) as n from edge_logs

-- COUNT has an argument
select count() as n from edge_logs

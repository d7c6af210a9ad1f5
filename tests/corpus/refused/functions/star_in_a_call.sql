-- A star is an argument of COUNT alone
select sum(*) as n from edge_logs

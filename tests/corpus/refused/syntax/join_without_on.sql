-- A join without a condition
select 1 from edge_logs as a join auth_logs as b

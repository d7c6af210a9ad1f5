-- The difference of two dates has a function
select date '2024-02-01' - date '2024-01-01' as a, timestamp - timestamp as b, 1 - date '2024-01-01' as c, date '2024-02-01' * 2 as d from edge_logs

-- IN UNNEST
select id from edge_logs where id in unnest(['e-0001', 'e-0002']) order by id

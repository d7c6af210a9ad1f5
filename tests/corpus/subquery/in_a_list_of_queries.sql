-- Queries as values in the list of IN
select id, id in ((select max(id) from edge_logs), 'e-0001') as a, id not in ((select max(id) from edge_logs), (select min(id) from edge_logs)) as b from edge_logs order by id, timestamp limit 5

-- A sub-query in FROM needs no alias
select id from (select id from edge_logs where id is not null) order by id

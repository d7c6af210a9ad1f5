-- SELECT AS STRUCT in FROM stands there alone
select a from (select as struct 1 as a union all select as struct 2)

-- A sub-query is a key by its alias
select (select upper(t.id)) as x, count(*) as n from edge_logs as t group by x order by x

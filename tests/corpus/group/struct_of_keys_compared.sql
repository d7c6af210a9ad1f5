-- A STRUCT of group keys compared
select (id, day) = ('e1', date '2026-03-01') as same, count(*) as n from (select id, date(timestamp) as day from edge_logs) group by id, day order by 1, 2

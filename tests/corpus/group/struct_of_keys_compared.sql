-- A STRUCT of group keys compared
select (id, date(timestamp)) = ('e1', date '2026-03-01') as same, count(*) as n from edge_logs group by id, date(timestamp) order by 1, 2

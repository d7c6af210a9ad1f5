-- GROUPING SETS is not accepted
select id, count(*) as n from edge_logs group by grouping sets (id, ())

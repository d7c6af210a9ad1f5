-- DISTINCT after grouping
select distinct count(*) as n from edge_logs group by timestamp order by 1

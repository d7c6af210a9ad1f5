-- Two named windows
select id, row_number() over a as n, count(*) over b as m from edge_logs window a as (order by id, timestamp), b as () order by 1, 2

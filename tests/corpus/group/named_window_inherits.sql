-- A window built on a named one
select id, row_number() over (w order by id) as n from edge_logs window w as (partition by timestamp) order by 1, 2

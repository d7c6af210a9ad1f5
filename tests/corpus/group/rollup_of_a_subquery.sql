--! unordered
-- A key of ROLLUP may be a sub-query
select count(*) as n, count(distinct id) as ids from edge_logs group by rollup((select max(level) from (select m.level from auth_logs cross join unnest(metadata) as m)), upper(id))

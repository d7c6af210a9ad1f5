--! unordered
-- A key of ROLLUP may begin with a bracket
select count(*) as n, count(distinct id) as ids from edge_logs group by rollup((length(id)) + 1, upper(id))

-- A number in parentheses is an ordinal as well
select length(id) as n, count(*) as c from edge_logs group by (1) order by (2) desc, ((1))

-- A computed key is found as a whole item only
select upper(id) || 'x' as x, count(*) as n from edge_logs group by upper(id)

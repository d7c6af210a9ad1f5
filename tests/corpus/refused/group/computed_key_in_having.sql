-- HAVING reads a computed key by its alias only
select upper(id) as u, count(*) as n from edge_logs group by u having upper(id) > 'A'

-- A computed key in HAVING and ORDER BY, by its alias
select upper(id) as u, count(*) as n from edge_logs group by u having u > '' order by u

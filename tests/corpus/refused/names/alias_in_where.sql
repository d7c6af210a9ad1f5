-- An alias of the select list is known in GROUP BY, HAVING, QUALIFY and ORDER BY alone
select upper(id) as name, length(name) as size from edge_logs where size > 3

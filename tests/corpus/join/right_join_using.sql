-- USING takes the right side of a RIGHT JOIN
select id, a.timestamp from edge_logs as a right join auth_logs as b using (id) order by 1, 2

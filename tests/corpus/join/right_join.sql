-- RIGHT JOIN keeps rows of the right side
select a.id, b.id as other from edge_logs as a right join auth_logs as b on a.timestamp = b.timestamp order by 2, 1

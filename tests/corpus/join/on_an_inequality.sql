-- ON may be any condition
select a.id, b.id as other from edge_logs as a join auth_logs as b on a.timestamp < b.timestamp and a.id != b.id order by 1, 2

-- OUTER is noise
select a.id, b.id as other from edge_logs as a left outer join auth_logs as b on a.timestamp = b.timestamp order by 1, 2

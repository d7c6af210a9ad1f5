-- An anti join is written NOT EXISTS
select a.id from edge_logs as a anti join auth_logs as b on a.id = b.id

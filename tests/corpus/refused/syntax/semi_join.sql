-- A semi join is written EXISTS
select a.id from edge_logs as a left semi join auth_logs as b on a.id = b.id

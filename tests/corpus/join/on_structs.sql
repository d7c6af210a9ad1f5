-- A join on STRUCTs that are equal
select a.id, b.id as other from edge_logs as a join database_logs as b on (a.id, date(a.timestamp)) = (b.id, date(b.timestamp)) order by 1, 2

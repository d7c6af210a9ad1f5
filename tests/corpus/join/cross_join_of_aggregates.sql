-- Two aggregates side by side
select a.n, p.n as m from (select count(*) as n from auth_logs) as a cross join (select count(*) as n from pooler_logs) as p

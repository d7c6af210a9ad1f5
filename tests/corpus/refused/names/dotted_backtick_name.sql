-- A quoted name is never split
select 1 from `logs.edge`

-- UNION needs ALL or DISTINCT
select 1 as a union select 2

-- CTEs in a row
with a as (select id from edge_logs), b as (select id from a where id is not null), c as (select count(*) as n from b) select n from c

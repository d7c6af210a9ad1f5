-- RECURSIVE
with recursive edge as (select id from edge) select * from edge

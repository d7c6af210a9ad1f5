-- Two sub-queries are never one expression, however alike they are
select (select t.id) as x, count(*) as n from edge_logs as t group by (select t.id)

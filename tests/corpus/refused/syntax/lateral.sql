-- LATERAL is not accepted
select a.id from edge_logs as a, lateral (select 1 as x) as b

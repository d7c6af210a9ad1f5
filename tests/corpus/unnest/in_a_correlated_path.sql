-- A sub-query unnests the outer row
select id, (select count(*) from t.metadata) as n from edge_logs as t order by 1, 2

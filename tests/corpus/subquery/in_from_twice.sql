-- Sub-queries in sub-queries
select n from (select count(*) as n from (select distinct id from edge_logs))

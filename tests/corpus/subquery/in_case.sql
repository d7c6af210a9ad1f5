-- A scalar sub-query in CASE
select case when (select count(*) from edge_logs) > 0 then 'some' else 'none' end as x

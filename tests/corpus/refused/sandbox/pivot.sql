-- PIVOT
select * from edge_logs pivot(count(*) for (select event_message from edge limit 1) in ('a'))

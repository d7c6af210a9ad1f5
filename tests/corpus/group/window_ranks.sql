-- ROW_NUMBER, RANK and DENSE_RANK
select id, row_number() over (order by length(event_message), id) as r, rank() over (order by length(event_message)) as k, dense_rank() over (order by length(event_message) desc) as d from edge_logs order by r

-- QUALIFY after WHERE
select id, timestamp from edge_logs where id is not null qualify row_number() over (order by timestamp desc, id) <= 3 order by 2 desc, 1

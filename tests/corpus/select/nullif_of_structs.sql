-- NULLIF of a STRUCT
select nullif((id, timestamp), ('e1', timestamp)) as a, nullif(struct(id, 1 as n), null) as b from edge_logs order by id, timestamp

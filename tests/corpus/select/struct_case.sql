-- CASE of a STRUCT
select case (id, timestamp) when (null, timestamp) then 'never' when ('e1', '2026-03-02T10:00:00Z') then 'first' when (id, timestamp) then 'some' else 'none' end as kind, count(*) as n from edge_logs group by kind order by kind

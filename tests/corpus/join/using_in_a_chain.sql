-- USING after USING
select id, a.timestamp, c.timestamp as third from edge_logs as a left join auth_logs as b using (id) left join pooler_logs as c using (id) order by 1, 2

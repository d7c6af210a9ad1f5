-- t.* EXCEPT
select t.* except (metadata, event_message) from edge_logs as t order by id, timestamp

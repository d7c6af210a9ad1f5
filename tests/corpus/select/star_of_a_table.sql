-- t.* is expanded
select t.*, m.status from auth_logs as t cross join unnest(t.metadata) as m limit 3

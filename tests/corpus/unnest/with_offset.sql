--! nondeterministic LIMIT among rows of equal timestamps
-- WITH OFFSET over an array of any length
select d, position from realtime_logs cross join unnest(metadata) as m cross join unnest(m.context) as c cross join unnest(c.domain) as d with offset as position limit 5

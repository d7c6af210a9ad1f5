-- A column named in mixed case stands beside the elements of an array
select t.theId, d from (select id as theId, metadata as theData from realtime_logs order by timestamp desc limit 8) as t cross join unnest(theData) as m cross join unnest(m.context) as c cross join unnest(c.domain) as d with offset as o order by t.theId, o

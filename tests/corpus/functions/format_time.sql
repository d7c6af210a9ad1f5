-- FORMAT_TIMESTAMP with the elements dashboards use
select id, format_timestamp('%Y-%m-%d %H:%M:%S %Z', timestamp, 'America/New_York') as a, format_timestamp('%a %A %b %B %d %e %j %u %w %U %V %G %y %I %p', timestamp) as b, format_timestamp('%E3S|%E*S|%Ez|%z|%s|%%', timestamp) as c, format_datetime('%c|%x|%X|%D|%R', datetime(timestamp)) as d from edge_logs order by id

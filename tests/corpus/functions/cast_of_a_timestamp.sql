-- A TIMESTAMP as text
select id, cast(timestamp as string) as a, cast(datetime(timestamp) as string) as b, cast(date(timestamp) as string) as c, cast(time(timestamp) as string) as d from edge_logs order by id

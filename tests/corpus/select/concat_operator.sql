-- || joins strings
select id || '-' || cast(1 as string) as x from edge_logs order by x

-- NULLs in the first arm take the type of the second
select null as a, id from edge_logs union all select timestamp, id from auth_logs order by 2, 1

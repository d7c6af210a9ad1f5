-- An interval has a number and a unit
select timestamp - interval '1 day' as t from edge_logs

-- A path in one pair of backticks is a table, not an array
select t.id from edge_logs as t, `t.metadata` as m

-- All that can be found is reported
select foo, bar, upper(baz) from edge_logs where qux = 1

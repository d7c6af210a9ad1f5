-- NULL is an INT64, off which no DATETIME can be read
select extract(datetime from null) as a from edge_logs

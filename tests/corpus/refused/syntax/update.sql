-- UPDATE is no query
update edge_logs set id = 'a' where true

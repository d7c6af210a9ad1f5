-- SHOW is no query
show tables

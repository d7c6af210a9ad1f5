-- VALUES is no query
values (1, 2)

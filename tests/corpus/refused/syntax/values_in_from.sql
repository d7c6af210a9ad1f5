-- VALUES is no table
select * from (values (1, 2)) as t

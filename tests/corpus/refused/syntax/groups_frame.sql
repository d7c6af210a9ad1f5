-- GROUPS frames are not accepted
select count(*) over (order by id groups between 1 preceding and current row) as n from edge_logs

-- A window function needs OVER
select row_number() as n from edge_logs

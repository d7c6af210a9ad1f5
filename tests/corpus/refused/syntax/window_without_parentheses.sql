-- OVER needs a window
select row_number() over as n from edge_logs

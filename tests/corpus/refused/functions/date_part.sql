-- DATE_PART is written EXTRACT
select date_part('hour', timestamp) as n from edge_logs

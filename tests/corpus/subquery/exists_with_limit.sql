-- EXISTS ignores what is selected
select exists(select 1 from edge_logs limit 1) as found

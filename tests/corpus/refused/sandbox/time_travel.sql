-- Time travel
select * from logs.edge for system_time as of current_timestamp()

-- Double quotes make a string, which is no table
select id from "edge_logs"

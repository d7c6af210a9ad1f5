-- A name with characters that are not accepted
select é from edge_logs

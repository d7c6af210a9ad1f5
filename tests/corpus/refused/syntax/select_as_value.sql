-- SELECT AS VALUE is not accepted
select as value id from edge_logs

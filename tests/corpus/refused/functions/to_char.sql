-- TO_CHAR is written FORMAT_TIMESTAMP
select to_char(timestamp, 'YYYY') as t from edge_logs

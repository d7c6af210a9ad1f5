-- An aggregate function in WHERE
select id from edge_logs where count(*) > 1

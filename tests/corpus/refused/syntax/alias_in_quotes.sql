-- An alias is no string
select id as "the id" from edge_logs

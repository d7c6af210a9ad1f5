-- An ordinal without a column
select id from edge_logs order by 2

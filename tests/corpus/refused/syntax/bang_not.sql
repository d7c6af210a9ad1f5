-- An exclamation mark negates nothing
select id from edge_logs where !(id = 'a')

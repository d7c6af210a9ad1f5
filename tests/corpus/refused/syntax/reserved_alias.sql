-- A reserved word is no alias
select id as from from edge_logs

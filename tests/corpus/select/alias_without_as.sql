-- An alias without AS
select id key, upper(id) loud from edge_logs e order by key, loud

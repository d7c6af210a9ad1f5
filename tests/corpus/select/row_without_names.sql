-- A field of a whole row has no name where its column has none
select c, (c).id as id from (select id, length(id) from edge_logs) as c order by c.id

-- DISTINCT ON has a GoogleSQL form
select distinct on (id) id, timestamp from edge_logs order by id

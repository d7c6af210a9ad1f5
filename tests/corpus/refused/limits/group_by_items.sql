-- GROUP BY items are bounded
select count(*) as n from edge_logs group by id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id, id

-- Whole rows compared
select a = b as same, a != b as other from (select id, length(id) as n from edge_logs) as a cross join (select 'e1' as id, 2 as n) as b order by a.id

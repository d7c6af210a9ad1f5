-- DISTINCT of groups, ordered by an expression over a count
select distinct id is null as unknown, count(*) as n from edge_logs group by id order by n * -1, unknown

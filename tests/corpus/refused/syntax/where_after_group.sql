-- WHERE stands before GROUP BY
select count(*) as n from edge_logs group by id where id = 'a'

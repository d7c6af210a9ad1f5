-- COLLATE is not accepted
select id from edge_logs order by id collate 'und:ci'

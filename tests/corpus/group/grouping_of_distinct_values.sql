-- COUNT DISTINCT of an expression
select count(distinct lower(id)) as n, count(distinct if(id is null, null, timestamp)) as m from edge_logs

-- A CTE counts as often as it is read, with all that it reads
with a as (select id from edge_logs union all select id from auth_logs),
b as (select id from a union all select id from a union all select id from a union all select id from a),
c as (select id from b union all select id from b union all select id from b union all select id from b)
select id from c union all select id from b

-- ARRAY(SELECT AS STRUCT …) over a row's own array
select id, array(select as struct m.level, m.status from unnest(metadata) as m) as found from auth_logs limit 2

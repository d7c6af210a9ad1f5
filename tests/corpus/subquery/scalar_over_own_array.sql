-- A scalar sub-query over a row's own array
select id, (select m.level from unnest(metadata) as m) as level from auth_logs limit 3

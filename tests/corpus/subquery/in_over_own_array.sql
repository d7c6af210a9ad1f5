-- IN over a row's own array
select id from auth_logs where 'info' in (select m.level from unnest(metadata) as m) limit 3

-- The newest row of each group
select level, id from (select m.level, a.id, row_number() over (partition by m.level order by a.timestamp desc, a.id) as r from auth_logs as a cross join unnest(a.metadata) as m) where r = 1 order by level

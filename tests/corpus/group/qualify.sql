-- QUALIFY
select id, m.level from pooler_logs cross join unnest(metadata) as m where true qualify row_number() over (partition by m.level order by timestamp desc) = 1

-- An array path is called by its last part
select t.id, metadata.level from pooler_logs as t, t.metadata order by 1, 2

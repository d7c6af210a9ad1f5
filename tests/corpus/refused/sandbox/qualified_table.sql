-- A fully qualified table is not reachable
select t.id from `other_project.other_dataset.raw_events` as t limit 1

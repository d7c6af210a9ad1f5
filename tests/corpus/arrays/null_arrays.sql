-- an array that is NULL has no rows
select e.id, exists (select 1 from unnest(if(e.id = 'e-0007', null, [1])) as x where x > 0 or e.id is null) as a, (select count(*) from unnest(if(e.id = 'e-0007', null, [1, 2])) as x where e.id is not null) as n from edge_logs as e order by e.id, e.timestamp

-- A select without FROM
select 'hello' as world, true as flag, 1.5 as ratio, null as nothing

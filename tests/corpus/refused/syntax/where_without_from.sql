-- Without FROM there are no rows to choose from
select 1 as x where true

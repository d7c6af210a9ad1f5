-- A bracket closes nothing
select 1 + 2) as x

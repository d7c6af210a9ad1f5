-- CASE needs END
select case when true then 1 as x

-- CASE needs WHEN
select case else 1 end as x

-- CASE in CASE
select case case when true then 1 end when 1 then case 'a' when 'a' then 'x' end end as x

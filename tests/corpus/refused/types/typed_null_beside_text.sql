-- NULL that has a type keeps it
select coalesce('a', cast(null as int64)) as x

-- IGNORE NULLS stands behind the brackets in other databases
select last_value(m.error) ignore nulls over (order by id) as last from auth_logs cross join unnest(metadata) as m

-- IGNORE NULLS belongs to the aggregate or window function, also where its argument ends in a call
select array_agg(upper(m.level) ignore nulls order by upper(m.level)) as a,
  array_agg(distinct lower(m.level) ignore nulls order by lower(m.level)) as b,
  array_length(array_agg('x' || concat(m.level, m.msg) ignore nulls)) as c
from auth_logs cross join unnest(metadata) as m

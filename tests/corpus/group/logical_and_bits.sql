-- LOGICAL_AND, LOGICAL_OR and BIT aggregates
select m.level, logical_and(m.metering) as a, logical_or(m.metering) as o, bit_or(m.status) as b, bit_xor(m.status) as x from auth_logs cross join unnest(metadata) as m group by level order by level

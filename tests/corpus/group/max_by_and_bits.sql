-- Aggregates of two values and of bits
select min(id) as a, bit_or(m.status) as bits, corr(m.status, m.duration) as r from auth_logs cross join unnest(metadata) as m

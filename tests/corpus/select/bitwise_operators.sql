-- Operators on bits
select r.status_code & 12 as low, r.status_code | 1 as odd, r.status_code ^ 255 as flipped, ~r.status_code as inverted, r.status_code << 2 as left_shift, r.status_code >> 3 as right_shift from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r order by id, low, odd

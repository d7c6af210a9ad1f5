-- Functions of text over BYTES
select b, upper(b) as a, reverse(b) as r, left(b, 2) as l, substr(b, -2) as s, lpad(b, 6, b'xy') as p, repeat(b, 2) as t, replace(b, b'a', b'\x00') as e, trim(b, b'a') as m, split(b, b'b') as i, instr(b, b'b') as n, bit_count(b) as o, array_to_string([b, b], b'-') as j from unnest([b'abc', b'', b'\xffa', null]) as b order by b

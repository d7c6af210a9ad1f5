-- An array of BYTES, from a literal and a column
select array_to_string([b'abc', x, cast('é' as bytes)], b'|') as y from unnest([b'\xff', null, b'']) as x

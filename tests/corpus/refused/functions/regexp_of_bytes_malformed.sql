-- A malformed pattern of BYTES
select regexp_contains(b'a', br'(') as x, regexp_extract(b'a', br'(a)(b)') as y, regexp_contains(b'a', br'\x{178}') as z

-- Bytes with all escapes
select b'\x00\xff\'' as a, rb'\x' as b, b"é" as c

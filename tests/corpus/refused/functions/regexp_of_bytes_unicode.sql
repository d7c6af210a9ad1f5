-- BYTES have no classes of Unicode
select regexp_contains(b'a', br'\pL') as x

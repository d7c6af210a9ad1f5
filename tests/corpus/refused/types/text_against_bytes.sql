-- A STRING literal does not stand for BYTES
select b'a' = 'a' as x

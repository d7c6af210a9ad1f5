-- BYTES are searched for BYTES
select regexp_contains(b'a', 'a') as x

-- In BYTES each byte is a character of Latin-1
select regexp_replace(b'a1\xe9 \xff', br'\pL', b'.') as l, regexp_replace(b'a1\xe9 \xff', br'[^\p{Lu}\p{N}]', b'.') as n, regexp_contains(b'\xe9', br'\p{Greek}') as g

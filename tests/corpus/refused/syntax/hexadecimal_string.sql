-- Hexadecimal text is no literal
select x'1f' as b

-- A regular expression that explodes
select regexp_contains('a', r'((((a{1,100}){1,100}){1,100}){1,100})')

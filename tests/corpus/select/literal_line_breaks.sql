-- Line breaks and tabs in literals
select 'a\nb\tc' as x, '''a
b''' as y, "it's" as z

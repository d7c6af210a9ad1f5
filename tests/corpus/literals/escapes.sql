-- Escapes are decoded once and printed in one form
select 'it\'s \\ \x41 \u00e9 \U0001F600 \101 \n' as a, r'\d\n' as b, b'\xff\x00a' as c, '''tri'ple''' as d

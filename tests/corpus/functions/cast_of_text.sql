-- SAFE_CAST of text to numbers and BOOL
select x, safe_cast(x as int64) as i, safe_cast(x as float64) as f, safe_cast(x as numeric) as n, safe_cast(x as bool) as b from unnest(['12', ' 12 ', '+5', '-0', '0x1F', '1e3', '1.5', 'inf', '-Infinity', 'nan', 'NaN', 'true', 'TRUE', 'f', '', '9223372036854775807', '9223372036854775808', '1_0', null]) as x order by x

-- FARM_FINGERPRINT of text and bytes
select x, farm_fingerprint(x) as a, farm_fingerprint(cast(x as bytes)) as b, mod(abs(farm_fingerprint(concat(x, '#'))), 10) as bucket from unnest(['', 'a', 'hello world', 'Grüße 🦀', null]) as x order by x

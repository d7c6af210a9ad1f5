-- Digests and encodings
select x, to_hex(md5(x)) as m, to_hex(sha256(x)) as s, to_base64(cast(x as bytes)) as b, safe_convert_bytes_to_string(from_base64('8J+mgA==')) as c from unnest(['', 'a', 'Grüße', null]) as x order by x

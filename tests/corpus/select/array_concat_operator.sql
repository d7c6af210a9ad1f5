-- Arrays are joined by ||
select [1, 2] || [3] as xs, b'a' || b'b' as bs

-- An array holds no arrays, a subscript of a STRUCT is one of its places, and || joins no numbers
select array(select [1]) as a, (1, 2)[2] as b, (1, 2)[offset(-1)] as c, [1] || 'a' as d, (1, 2) || 'a' as e from edge_logs

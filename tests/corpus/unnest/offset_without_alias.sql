-- WITH OFFSET is called offset
select x, offset from unnest(['a', 'b']) as x with offset order by offset

-- WITH OFFSET takes an alias without AS
select x, pos from unnest(['a', 'b']) as x with offset pos order by pos

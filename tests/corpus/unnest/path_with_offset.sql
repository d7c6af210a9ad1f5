--! unordered
-- An array path has an offset as UNNEST has
select t.id, m.level, o, p from auth_logs as t, t.metadata as m with offset as o left join t.metadata as n with offset p on o = p cross join t.metadata with offset

-- * has the elements of an UNNEST without a name, too
select * from unnest([3, 1]) with offset as position order by position

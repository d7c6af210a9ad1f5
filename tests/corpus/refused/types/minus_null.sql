-- NULL has no negative
select -null as x

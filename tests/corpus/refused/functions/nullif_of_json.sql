-- JSON values cannot be compared
select nullif(x, x) as y from unnest([json '1']) as x

-- JSON cannot be compared
select nullif(json '1', json '2') as x

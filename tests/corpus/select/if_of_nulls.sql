-- IF with NULL branches
select if(null, 1, 2) as a, if(true, null, 2) as b, ifnull(null, 3) as c, nullif(1, 1) as d

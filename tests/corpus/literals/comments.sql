-- All forms of comments
select 1 as a -- one
, 2 as b # two
, /* three, /* not nested */ 3 as c

-- SUBSTR from before the start and past the end
select p, substr('héllo', p) as a, substr('héllo', p, 2) as b, substr('héllo', p, 0) as c from unnest([-9, -5, -2, 0, 1, 3, 5, 6, 99]) as p order by p

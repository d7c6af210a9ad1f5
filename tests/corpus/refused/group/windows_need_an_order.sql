-- What FIRST_VALUE and its kin take is said by the order, and what they count begins with 1
select first_value(id) over () as a, nth_value(id, 0) over (order by id) as b, ntile(0) over (order by id) as c, lag(id ignore nulls) over (order by id) as d, safe.sum(1) over () as e, sum(1) over (partition by [1]) as f from edge_logs

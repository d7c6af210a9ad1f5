-- A frame of the whole partition
select id, count(*) over (partition by timestamp order by id rows between unbounded preceding and unbounded following) as n from edge_logs order by 1, 2

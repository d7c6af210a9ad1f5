-- WITH ORDINALITY is written WITH OFFSET
select x from unnest([1, 2]) with ordinality as t

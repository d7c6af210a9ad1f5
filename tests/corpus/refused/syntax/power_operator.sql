-- Two stars are no operator
select 2 ** 3 as x

-- The format of FORMAT fits its values
select format('%d', 1.5) as a, format('%s %s', 'x') as b, format('%y', 1) as c, format('x', 1) as d

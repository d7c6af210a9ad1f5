-- Lambdas are not accepted
select array_filter([1, 2], x -> x > 1) as xs

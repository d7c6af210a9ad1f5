-- Arrays of records of arrays
select [struct([1, 2] as xs), struct([3])] as deep

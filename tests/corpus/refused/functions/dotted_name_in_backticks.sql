-- A dot in backticks names a function of a data set, not one of NET
select `net.host`('http://a.b/') as x

-- Powers of NUMERIC are on BigQuery only
select pow(numeric '1.1', 2) as a, ln(numeric '2') as b, percentile_cont(x, numeric '0.5') over () as c from unnest([numeric '1']) as x

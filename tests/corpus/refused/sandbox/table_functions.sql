-- Table functions
select * from generate_series(1,3), read_parquet('s3://x/y')

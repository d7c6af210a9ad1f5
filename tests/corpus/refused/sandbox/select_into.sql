-- SELECT INTO
select 1 into outfile '/tmp/x'

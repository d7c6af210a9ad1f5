-- An alias of SELECT DISTINCT stands for the output column, also where FROM has that name
select distinct date(timestamp) as timestamp, id is null as unknown from edge_logs order by extract(day from timestamp) desc, if(unknown, 1, 0), timestamp

-- Inside of a STRUCT, NULL of one query is an INT64 to the other
select count(*) as n from (select struct(date(timestamp) as d) as s from edge_logs union all select struct(null))

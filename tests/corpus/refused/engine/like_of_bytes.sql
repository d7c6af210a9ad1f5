-- LIKE of BYTES is on BigQuery only
select count(*) as n from edge_logs where cast(id as bytes) like b'e%'

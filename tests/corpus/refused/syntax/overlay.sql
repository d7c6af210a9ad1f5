-- OVERLAY is not GoogleSQL
select overlay(id placing 'a' from 1) as x from edge_logs

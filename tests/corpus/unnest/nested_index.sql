-- Subscripts of nested arrays
select id, metadata[safe_offset(0)].context[safe_offset(0)].domain[safe_offset(0)] as first, metadata[safe_offset(0)].context[safe_offset(0)].domain[safe_ordinal(2)] as second from realtime_logs order by id

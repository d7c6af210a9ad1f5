-- FORMAT with widths, precisions and grouping
select id, format('%s|%10s|%-6s|%.2s', id, id, id, id) as a, format('%d|%05d|%+d|%\'d|%x', length(id), length(id), length(id), length(id) * 100000, length(id)) as b, format('%.3f|%8.2e|%g', length(id) / 3, length(id) / 3, length(id) / 3) as c, format('%t|%T|%%', timestamp, id) as d from edge_logs order by id

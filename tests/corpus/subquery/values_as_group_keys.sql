-- Two sub-queries without names as group keys
select (select count(*) from auth_logs) as auths, (select count(*) from edge_logs) as edges, count(*) as n
from edge_logs group by auths, edges

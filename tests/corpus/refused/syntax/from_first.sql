-- A query begins with SELECT
from edge_logs select id

-- FROM alone is no query
from edge_logs

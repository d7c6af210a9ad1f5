-- Pipe syntax
from edge_logs |> cross join edge

"""Runs SQL with DuckDB for the bench: a JSON string a line in, [milliseconds, rows] a line out."""

import json
import sys
import time

import duckdb

connection = duckdb.connect()
connection.execute(f"SET threads = {int(sys.argv[1])}")
connection.execute("SET TimeZone = 'UTC'")
for line in sys.stdin:
    sql = json.loads(line)
    start = time.perf_counter()
    rows = connection.execute(sql).fetchall()
    ms = (time.perf_counter() - start) * 1000
    print(json.dumps([ms, len(rows)]), flush=True)

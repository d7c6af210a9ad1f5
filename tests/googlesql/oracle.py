"""GoogleSQL itself as a judge: analyzes and evaluates BigQuery queries for tests.

`oracle.py serve` reads one JSON request per line and answers each with one JSON
line; `oracle.py warm` compiles the engine into the cache.  README.md documents
the protocol.  Nothing here knows logboom.
"""

import hashlib
import json
import re
import sys
import time
from collections import OrderedDict
from importlib.metadata import version

from google.protobuf import empty_pb2
from zetasql.wasi._pb2.zetasql.local_service import local_service_pb2 as service
from zetasql.wasi._pb2.zetasql.proto import options_pb2, simple_catalog_pb2
from zetasql.wasi._pb2.zetasql.public import options_pb2 as public_options_pb2
from zetasql.wasi._pb2.zetasql.public import simple_table_pb2, type_pb2, value_pb2

from oracle_engine import Engine, EngineCrash, SqlError
from oracle_language import language_options
from oracle_types import (
    InputError,
    Unsupported,
    decode,
    encode,
    encode_fields,
    field_of_type,
    parse_type,
    struct_fields,
    timestamp_micros,
    type_name,
    type_of_field,
)

CACHED_CATALOGS = 24


class Oracle:
    def __init__(self):
        self.engine = Engine()
        self.default_options = self.engine.call(
            "GetAnalyzerOptions",
            service.AnalyzerOptionsRequest(),
            options_pb2.AnalyzerOptionsProto,
        )
        self.catalogs = OrderedDict()  # key -> (engine generation, id in the engine)

    # ------------------------------------------------------------ commands

    def info(self, _request):
        return {
            "zetasql": version("zetasql"),
            "wasmtime": version("wasmtime"),
            "features": [
                public_options_pb2.LanguageFeature.Name(f).removeprefix("FEATURE_")
                for f in language_options().enabled_language_features
            ],
            "calls": self.engine.calls,
            "restarts": self.engine.restarts,
            "memory_bytes": self.engine.memory_bytes,
        }

    def analyze(self, request):
        tables = _tables(request)
        analysis = self._analyze(request, tables)
        return analysis.report()

    def evaluate(self, request):
        tables = _tables(request)
        params, values = _parameters(request)
        # The analyzer goes first: it places errors in the text as the caller
        # wrote it, and tells which tables the query reads and how it names them.
        analysis = self._analyze(request, tables)
        message = service.EvaluateQueryRequest(
            sql=analysis.sql_with_quoted_tables(),
            options=self._options(request, params),
            registered_catalog_id=self._catalog(request, tables, request.get("rows") or {}),
        )
        for name, value in values.items():
            message.params.add(name=name, value=value)
        try:
            self.engine.now_ns = _now(request)
            response = self._call(request, "EvaluateQuery", message, service.EvaluateQueryResponse)
        finally:
            self.engine.now_ns = None
            self.engine.recycle_if_large()
        rows = [
            {
                name: decode(ty, cell)
                for (name, ty), cell in zip(analysis.columns, analysis.cells(row), strict=True)
            }
            for row in response.content.table_data.row
        ]
        return {**analysis.report(), "rows": rows}

    COMMANDS = {"info": info, "analyze": analyze, "evaluate": evaluate}

    def handle(self, request):
        """Answers a request; never raises for what the request or its SQL got wrong."""
        started = time.monotonic()
        restarts = self.engine.restarts
        reply = {"id": request.get("id")} if isinstance(request, dict) and "id" in request else {}
        try:
            if not isinstance(request, dict):
                raise InputError("a request is a JSON object")
            command = self.COMMANDS.get(request.get("cmd"))
            if command is None:
                raise InputError(f"cmd is one of {', '.join(self.COMMANDS)}")
            reply |= {"ok": True, **command(self, request)}
        except SqlError as error:
            reply |= {"ok": False, "error": _describe(error)}
        except Unsupported as error:
            error = {"kind": "sql", "code": "UNIMPLEMENTED", "message": str(error)}
            reply |= {"ok": False, "error": error}
        except InputError as error:
            reply |= {"ok": False, "error": {"kind": "request", "message": str(error)}}
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            message = f"malformed request: {type(error).__name__}: {error}"
            reply |= {"ok": False, "error": {"kind": "request", "message": message}}
        except EngineCrash as error:
            reply |= {"ok": False, "error": {"kind": "engine", "message": str(error)}}
        if self.engine.restarts != restarts:
            reply["restarted"] = True
        reply["ms"] = round((time.monotonic() - started) * 1000, 1)
        return reply

    # ------------------------------------------------------------ the engine

    def _call(self, request, method, message, response_type):
        timeout = request.get("timeout_ms", 60_000)
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
            raise InputError("timeout_ms is a number")
        return self.engine.call(method, message, response_type, timeout / 1000)

    def _analyze(self, request, tables):
        params, _ = _parameters(request)
        options = self._options(request, params)
        options.prune_unused_columns = True  # so that scans list the columns in use
        options.parse_location_record_type = public_options_pb2.PARSE_LOCATION_RECORD_CODE_SEARCH
        sql = _sql(request)
        response = self._call(
            request,
            "Analyze",
            service.AnalyzeRequest(
                sql_statement=sql,
                options=options,
                registered_catalog_id=self._catalog(request, tables),
            ),
            service.AnalyzeResponse,
        )
        return Analysis(sql, response.resolved_statement.resolved_query_stmt_node, tables)

    def _catalog(self, request, tables, rows=None):
        """The id of a catalog in the engine, with rows to evaluate or without.

        Schemas and rows recur from request to request, so the engine keeps the
        catalogs of the latest ones.
        """
        key = json.dumps([request.get(k) for k in ("schema", "enable", "disable")] + [rows])
        key = hashlib.sha256(key.encode()).digest()
        generation, catalog_id = self.catalogs.pop(key, (None, None))
        if generation != self.engine.generation:
            message = service.RegisterCatalogRequest(
                simple_catalog=_catalog(tables, self._language(request), nested=rows is None)
            )
            for name, content in _contents(tables, rows).items():
                message.table_content[name].table_data.CopyFrom(content)
            response = self._call(request, "RegisterCatalog", message, service.RegisterResponse)
            generation, catalog_id = self.engine.generation, response.registered_id
        self.catalogs[key] = generation, catalog_id
        if len(self.catalogs) > CACHED_CATALOGS:
            _, (generation, oldest) = self.catalogs.popitem(last=False)
            if generation == self.engine.generation:
                message = service.UnregisterRequest(registered_id=oldest)
                self._call(request, "UnregisterCatalog", message, empty_pb2.Empty)
        return catalog_id

    def _language(self, request):
        try:
            return language_options(request.get("enable") or (), request.get("disable") or ())
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(f"enable/disable: {error}") from None

    def _options(self, request, params):
        options = options_pb2.AnalyzerOptionsProto()
        options.CopyFrom(self.default_options)
        options.ClearField("allowed_hints_and_options")
        options.language_options.CopyFrom(self._language(request))
        options.error_message_mode = public_options_pb2.ERROR_MESSAGE_ONE_LINE
        options.parameter_mode = public_options_pb2.PARAMETER_NAMED
        options.default_timezone = "UTC"
        for name, ty in params.items():
            options.query_parameters.add(name=name, type=ty)
        return options


class Analysis:
    """What a resolved query returns and reads."""

    def __init__(self, sql, statement, schema):
        self.sql = sql.encode()
        self.schema = schema
        self.value_table = statement.is_value_table
        self.columns = self._output_columns(statement)
        self.direct = Reads()  # outside of any CTE
        self.ctes = {}
        self.params = set()
        self.functions = set()
        self.scans = {}  # (start, end) of a table's name in the text -> (table, alias)
        self.columns_read = {}
        self._walk(statement.query, self.direct)
        self.ordered = _is_ordered(statement.query)
        self.tables = sorted(self.columns_read)
        self._check_case()

    def report(self):
        reached, todo = Reads(), [self.direct]
        while todo:
            reads = todo.pop()
            reached.tables |= reads.tables
            new = reads.ctes - reached.ctes
            reached.ctes |= new
            todo += [self.ctes[name] for name in sorted(new) if name in self.ctes]
        return {
            "columns": [
                {**field_of_type(name, ty), "sql_type": type_name(ty)} for name, ty in self.columns
            ],
            "ordered": self.ordered,
            "reads": {
                "tables": self.tables,
                "reached_tables": sorted(reached.tables),
                "columns": {k: sorted(v) for k, v in sorted(self.columns_read.items())},
                "direct": self.direct.report(),
                "ctes": {
                    name: {**reads.report(), "reached": name in reached.ctes}
                    for name, reads in sorted(self.ctes.items())
                },
            },
            "params": sorted(self.params),
            "functions": sorted(self.functions),
        }

    def cells(self, row):
        """The cells of a result row, with a row that is one struct taken apart."""
        if self._is_struct_table:
            fields = row.cell[0].struct_value.field
            return fields or [value_pb2.ValueProto()] * len(self.columns)
        return row.cell

    def sql_with_quoted_tables(self):
        """The text with each table named by one quoted identifier.

        The evaluator holds rows only for tables at the top of its catalog, so
        edge.requests becomes `edge.requests`, under the alias it had.
        """
        parts, at = [], 0
        for (start, end), (table, alias) in sorted(self.scans.items()):
            parts.append(self.sql[at:start])
            written = _identifiers(self.sql[start:end].decode())
            parts.append(f"`{table}`".encode())
            if not alias and written != [table]:
                parts.append(f" AS `{written[-1]}`".encode())
            at = end
        return b"".join([*parts, self.sql[at:]]).decode()

    def _output_columns(self, statement):
        columns = [(c.name, c.column.type) for c in statement.output_column_list]
        self._is_struct_table = self.value_table and columns[0][1].type_kind == type_pb2.TYPE_STRUCT
        if self._is_struct_table:  # SELECT AS STRUCT: BigQuery returns the fields
            return struct_fields(columns[0][1])
        named, nameless, seen = [], 0, set()
        for name, ty in columns:
            if not name or name.startswith("$"):
                name, nameless = f"f{nameless}_", nameless + 1
            if name.lower() in seen:
                raise SqlError(
                    "INVALID_ARGUMENT",
                    "Duplicate column names in the result are not supported when a destination"
                    f" table is present. Found duplicate(s): {name}",
                )
            seen.add(name.lower())
            named.append((name, ty))
        return named

    def _walk(self, query, reads):
        todo = [(query, reads)]  # not recursive: queries nest deeply
        while todo:
            message, reads = todo.pop()
            for field, value in message.ListFields():
                if field.message_type is None or field.message_type.name in NOT_WALKED:
                    continue
                kind = field.message_type.name
                for child in value if field.is_repeated else (value,):
                    todo.append((child, self._visit(kind, child, reads)))

    def _visit(self, kind, node, reads):
        """Notes what a node reads and says to what its children's reads belong."""
        if kind == "ResolvedTableScanProto":
            self._table_scan(node, reads)
        elif kind == "ResolvedWithRefScanProto":
            reads.ctes.add(node.with_query_name)
        elif kind == "ResolvedWithEntryProto":
            return self.ctes.setdefault(node.with_query_name, Reads())
        elif kind == "ResolvedParameterProto":
            self.params.add(node.name)
        elif kind == "ResolvedFunctionCallBaseProto":
            self.functions.add(node.function.name.split(":", 1)[-1])
        return reads

    def _table_scan(self, scan, reads):
        table = scan.table.full_name or scan.table.name
        reads.tables.add(table)
        used = self.columns_read.setdefault(table, set())
        used.update(self.schema[table][i][0] for i in scan.column_index_list)
        node = scan.parent.parent
        if node.HasField("parse_location_range"):
            place = node.parse_location_range
            self.scans[place.start, place.end] = (table, scan.alias)

    def _check_case(self):
        """The engine's catalog ignores case in table names; BigQuery does not."""
        for (start, end), (table, _) in self.scans.items():
            written = ".".join(_identifiers(self.sql[start:end].decode()))
            if written.lower() == table.lower() and written != table:
                before = self.sql[:start].decode()
                line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
                raise SqlError(
                    "NOT_FOUND",
                    f"Table not found: {written}; did you mean {table}? [at {line}:{column}]",
                )


class Reads:
    def __init__(self):
        self.tables = set()
        self.ctes = set()

    def report(self):
        return {"tables": sorted(self.tables), "ctes": sorted(self.ctes)}


# Large parts of a resolved query that name no table, function or parameter.
NOT_WALKED = {"TypeProto", "ResolvedColumnProto", "FunctionSignatureProto", "ValueWithTypeProto"}


def _is_ordered(query):
    """Whether the outermost scan fixes the order of its rows."""
    while True:
        chosen = query.WhichOneof("node") if "node" in query.DESCRIPTOR.oneofs_by_name else None
        if chosen is None:
            break
        query = getattr(query, chosen)
    while "is_ordered" not in query.DESCRIPTOR.fields_by_name:
        query = query.parent
    return query.is_ordered


def _identifiers(path):
    """The identifiers of a table path as written, without their backquotes."""
    return [quoted or bare for quoted, bare in re.findall(r"`([^`]*)`|([^`.\s]+)", path)]


def _describe(error):
    """An engine's error as JSON, with the place that its message ends in."""
    described = {"kind": "sql", "code": error.code, "message": error.message}
    if match := re.search(r" \[at (\d+):(\d+)\]$", error.message):
        described["message"] = error.message[: match.start()]
        described |= {"line": int(match[1]), "column": int(match[2])}
    return described


# ---------------------------------------------------------------- requests


def _sql(request):
    sql = request.get("sql")
    if not isinstance(sql, str):
        raise InputError("sql is a string")
    return sql


def _tables(request):
    """Table name -> columns, each a name and a type."""
    tables, seen = {}, {}
    given = (request.get("schema") or {}).get("tables") or {}
    for name, fields in given.items():
        if not isinstance(fields, list) or not all(name.split(".")):
            raise InputError(f"table {name!r}: expected a list of fields")
        if name.lower() in seen:
            raise InputError(f"tables {seen[name.lower()]!r} and {name!r} differ only in case")
        seen[name.lower()] = name
        tables[name] = [(f.get("name"), type_of_field(f)) for f in fields]
    return tables


def _catalog(tables, language, nested):
    """A catalog where each table is found by its dotted name as one identifier and,
    when `nested`, also by any path that spells that name."""
    catalog = simple_catalog_pb2.SimpleCatalogProto(name="oracle")
    catalog.builtin_function_options.language_options.CopyFrom(language)
    folders = {(): catalog}
    for number, (name, columns) in enumerate(sorted(tables.items()), 1):
        for path in _paths(name.split(".")) if nested else [[name]]:
            folder = catalog
            for depth in range(1, len(path)):
                key = tuple(part.lower() for part in path[:depth])
                if key not in folders:
                    folders[key] = folder.catalog.add(name=path[depth - 1])
                folder = folders[key]
            table = folder.table.add(
                name=name, full_name=name, name_in_catalog=path[-1], serialization_id=number
            )
            for column, ty in columns:
                table.column.append(simple_table_pb2.SimpleColumnProto(name=column, type=ty))
    return catalog


def _paths(parts):
    """All ways to write a.b.c with backquotes: `a.b.c`, a.`b.c`, `a.b`.c, a.b.c."""
    if len(parts) == 1:
        return [parts]
    joined = [[f"{parts[0]}.{rest[0]}", *rest[1:]] for rest in _paths(parts[1:])]
    return joined + [[parts[0], *rest] for rest in _paths(parts[1:])]


def _contents(tables, rows):
    """Table name -> rows; a table without rows is empty."""
    if rows is None:
        return {}
    for name in rows.keys() - tables.keys():
        raise InputError(f"rows for a table that the schema lacks: {name}")
    contents = {}
    for name, fields in tables.items():
        contents[name] = service.TableData()
        for i, row in enumerate(rows.get(name) or []):
            contents[name].row.add(cell=encode_fields(fields, row, f"{name}[{i}]"))
    return contents


def _now(request):
    """The instant to stop the clock at, in nanoseconds since the epoch, or None."""
    if request.get("now") is None:
        return None
    try:
        return timestamp_micros(request["now"]) * 1000
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"now: {request['now']!r} is not a TIMESTAMP") from None


def _parameters(request):
    """Parameter name -> type, and name -> value."""
    types, values = {}, {}
    for name, declared in (request.get("params") or {}).items():
        types[name] = parse_type(declared)
        values[name] = value_pb2.ValueProto()
    for name, value in (request.get("values") or {}).items():
        if name not in types:
            raise InputError(f"value for a parameter without a type: {name}")
        values[name] = encode(types[name], value, f"@{name}")
    return types, values


# ---------------------------------------------------------------- command line


def serve(oracle):
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            request = json.loads(line)
        except ValueError as error:
            reply = {"ok": False, "error": {"kind": "request", "message": f"not JSON: {error}"}}
        else:
            reply = oracle.handle(request)
        _print(reply)


def _print(reply):
    text = json.dumps(reply, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def main():
    if sys.argv[1:] == ["serve"]:
        return serve(Oracle())
    if sys.argv[1:] == ["warm"]:
        Oracle()
        return 0
    return "usage: oracle.py serve | warm"


if __name__ == "__main__":
    sys.exit(main())

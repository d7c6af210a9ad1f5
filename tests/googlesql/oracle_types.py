"""BigQuery's JSON shapes for types and values, to and from the engine's protobufs."""

import base64
import datetime as dt
import json
import math
import re
from decimal import Decimal, InvalidOperation, localcontext

from zetasql.wasi._pb2.zetasql.public import type_pb2 as t
from zetasql.wasi._pb2.zetasql.public import value_pb2

Value = value_pb2.ValueProto


class InputError(Exception):
    """The request itself is wrong: a bad schema, type or value."""


class Unsupported(Exception):
    """Right in itself, but beyond this kit."""


# BigQuery's name -> the engine's kind.
KINDS = {
    "STRING": t.TYPE_STRING,
    "BYTES": t.TYPE_BYTES,
    "INT64": t.TYPE_INT64,
    "FLOAT64": t.TYPE_DOUBLE,
    "BOOL": t.TYPE_BOOL,
    "TIMESTAMP": t.TYPE_TIMESTAMP,
    "DATETIME": t.TYPE_DATETIME,
    "DATE": t.TYPE_DATE,
    "TIME": t.TYPE_TIME,
    "NUMERIC": t.TYPE_NUMERIC,
    "BIGNUMERIC": t.TYPE_BIGNUMERIC,
    "JSON": t.TYPE_JSON,
    "INTERVAL": t.TYPE_INTERVAL,
    "GEOGRAPHY": t.TYPE_GEOGRAPHY,
}
NAMES = {kind: name for name, kind in KINDS.items()}
SYNONYMS = {
    "INTEGER": "INT64",
    "INT": "INT64",
    "FLOAT": "FLOAT64",
    "BOOLEAN": "BOOL",
    "DECIMAL": "NUMERIC",
    "BIGDECIMAL": "BIGNUMERIC",
    "RECORD": "STRUCT",
}


# ---------------------------------------------------------------- types


def type_of_field(field):
    """The type of a column or record field in TableFieldSchema shape.

    Beyond that shape, the type may also be any type written as SQL."""
    try:
        name, declared = field["name"], field["type"]
    except (KeyError, TypeError):
        raise InputError(f"a field needs a name and a type: {field!r}") from None
    if declared.upper() in ("RECORD", "STRUCT"):
        if not field.get("fields"):
            raise InputError(f"record {name!r} has no fields")
        result = struct_type([(f["name"], type_of_field(f)) for f in field["fields"]])
    else:
        result = parse_type(declared)
    mode = (field.get("mode") or "NULLABLE").upper()
    if mode not in ("NULLABLE", "REQUIRED", "REPEATED"):
        raise InputError(f"field {name!r} has an unknown mode {mode!r}")
    return array_type(result) if mode == "REPEATED" else result


def parse_type(text):
    """A type written as SQL: INT64, ARRAY<STRING>, STRUCT<a INT64, b ARRAY<STRING>>."""
    tokens = re.findall(r"[A-Za-z_][A-Za-z0-9_]*|`[^`]+`|\S", text)
    result, rest = _parse_type(tokens, text)
    if rest:
        raise InputError(f"cannot read the type {text!r}")
    return result


def _parse_type(tokens, text):
    if not tokens:
        raise InputError(f"cannot read the type {text!r}")
    name, tokens = tokens[0].upper(), tokens[1:]
    name = SYNONYMS.get(name, name)
    if name in KINDS:
        return t.TypeProto(type_kind=KINDS[name]), tokens
    if name == "ARRAY" and tokens[:1] == ["<"]:
        element, tokens = _parse_type(tokens[1:], text)
        if tokens[:1] == [">"]:
            return array_type(element), tokens[1:]
    if name == "STRUCT" and tokens[:1] == ["<"]:
        fields, tokens = [], tokens[1:]
        while len(tokens) > 1:
            field_type, rest = _parse_type(tokens[1:], text)
            fields.append((tokens[0].strip("`"), field_type))
            if rest[:1] == [">"]:
                return struct_type(fields), rest[1:]
            if rest[:1] != [","]:
                break
            tokens = rest[1:]
    raise InputError(f"cannot read the type {text!r}")


def array_type(element):
    if element.type_kind == t.TYPE_ARRAY:
        raise InputError("an array of arrays is not a BigQuery type")
    return t.TypeProto(type_kind=t.TYPE_ARRAY, array_type=t.ArrayTypeProto(element_type=element))


def struct_type(fields):
    return t.TypeProto(
        type_kind=t.TYPE_STRUCT,
        struct_type=t.StructTypeProto(
            field=[t.StructFieldProto(field_name=n, field_type=ty) for n, ty in fields]
        ),
    )


def type_name(ty):
    """The type as SQL."""
    if ty.type_kind == t.TYPE_ARRAY:
        return f"ARRAY<{type_name(ty.array_type.element_type)}>"
    if ty.type_kind == t.TYPE_STRUCT:
        fields = (f"{f.field_name} {type_name(f.field_type)}".strip() for f in ty.struct_type.field)
        return f"STRUCT<{', '.join(fields)}>"
    if ty.type_kind == t.TYPE_RANGE:
        return f"RANGE<{type_name(ty.range_type.element_type)}>"
    return NAMES.get(ty.type_kind) or t.TypeKind.Name(ty.type_kind).removeprefix("TYPE_")


def field_of_type(name, ty):
    """A column in TableFieldSchema shape, as BigQuery names types there."""
    repeated = ty.type_kind == t.TYPE_ARRAY
    if repeated:
        ty = ty.array_type.element_type
    field = {"name": name, "mode": "REPEATED" if repeated else "NULLABLE"}
    if ty.type_kind == t.TYPE_STRUCT:
        field["type"] = "RECORD"
        field["fields"] = [field_of_type(n, f) for n, f in struct_fields(ty)]
    else:
        legacy = {"INT64": "INTEGER", "FLOAT64": "FLOAT", "BOOL": "BOOLEAN"}
        field["type"] = legacy.get(type_name(ty), type_name(ty))
    return field


def struct_fields(ty):
    """Field names and types; BigQuery calls the nth nameless field _field_n."""
    fields = [
        (f.field_name or f"_field_{i}", f.field_type) for i, f in enumerate(ty.struct_type.field, 1)
    ]
    names = [n.lower() for n, _ in fields]
    if len(set(names)) != len(names):
        raise InputError(f"{type_name(ty)} has two fields of the same name")
    return fields


# ---------------------------------------------------------------- JSON to values


def encode(ty, value, where="value"):
    """A JSON value, in the shape that BigQuery loads, as a value of the type."""
    if ty.type_kind == t.TYPE_ARRAY:
        if value is None:  # BigQuery stores a missing array as an empty one
            value = []
        if not isinstance(value, list):
            raise InputError(f"{where}: expected an array, got {value!r}")
        element = ty.array_type.element_type
        items = [encode(element, v, f"{where}[{i}]") for i, v in enumerate(value)]
        return Value(array_value=Value.Array(element=items))
    if value is None:
        return Value()
    if ty.type_kind == t.TYPE_STRUCT:
        return Value(
            struct_value=Value.Struct(field=encode_fields(struct_fields(ty), value, where))
        )
    try:
        if ty.type_kind not in SCALARS:
            raise Unsupported(f"{where}: values of type {type_name(ty)} are not supported")
        return SCALARS[ty.type_kind](value)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except (KeyError, ValueError, TypeError, AttributeError, ArithmeticError):
        raise InputError(f"{where}: {value!r} is not a {type_name(ty)}") from None


def encode_fields(fields, value, where):
    """The cells of a row or record, in order; a field that is absent is NULL."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected an object, got {value!r}")
    by_name = {k.lower(): v for k, v in value.items()}
    unknown = by_name.keys() - {n.lower() for n, _ in fields}
    if unknown:
        raise InputError(f"{where}: no such field: {', '.join(sorted(unknown))}")
    return [encode(ty, by_name.get(n.lower()), f"{where}.{n}") for n, ty in fields]


def _int64(value):
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    value = int(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError
    return Value(int64_value=value)


def _bool(value):
    if isinstance(value, str):
        value = {"true": True, "false": False}[value.lower()]
    if not isinstance(value, bool):
        raise ValueError
    return Value(bool_value=value)


def _float64(value):
    if isinstance(value, bool):
        raise ValueError
    return Value(double_value=float(value))  # reads "NaN", "Infinity" and "-Infinity" too


def _string(value):
    if not isinstance(value, str):
        raise ValueError
    return Value(string_value=value)


def _json(value):
    # As in the REST API a string is JSON text; anything else is the value itself.
    if isinstance(value, str):
        json.loads(value)
        return Value(json_value=value)
    return Value(json_value=json.dumps(value, ensure_ascii=False))


EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DATE = r"(\d{4})-(\d{1,2})-(\d{1,2})"
_TIME = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6})0*)?"
_ZONE = r"\s*(Z|UTC|[+-]\d{1,2}(?::?\d{2})?)?"
_TIMESTAMP_RE = re.compile(rf"{_DATE}(?:[Tt ]\s*{_TIME})?{_ZONE}", re.IGNORECASE)


def timestamp_micros(value):
    """Microseconds since the epoch, of a time as text or as seconds since the epoch."""
    if isinstance(value, bool):
        raise ValueError
    if isinstance(value, (int, float)):
        if abs(value) >= 253402300800:
            raise InputError(f"{value!r} is beyond year 9999: numbers are seconds since the epoch")
        return round(Decimal(str(value)) * 1_000_000)
    match = _TIMESTAMP_RE.fullmatch(value.strip())
    if not match:
        return timestamp_micros(float(value))  # seconds, as text
    moment = _datetime(match.groups()[:7]).replace(tzinfo=dt.UTC)
    zone = match[8] or "Z"
    if zone.upper() not in ("Z", "UTC"):
        digits = zone[1:].replace(":", "")
        hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
        offset = dt.timedelta(hours=int(hours), minutes=int(minutes))
        moment -= offset if zone[0] == "+" else -offset
    return (moment - EPOCH) // dt.timedelta(microseconds=1)


def _datetime(parts):
    year, month, day, hour, minute, second, fraction = parts
    micros = int((fraction or "0").ljust(6, "0"))
    return dt.datetime(
        int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), micros
    )


def _timestamp(value):
    seconds, micros = divmod(timestamp_micros(value), 1_000_000)
    result = Value()
    result.timestamp_value.seconds = seconds
    result.timestamp_value.nanos = micros * 1000
    return result


def _civil_datetime(value):
    match = re.fullmatch(rf"{_DATE}(?:[Tt ]\s*{_TIME})?", value.strip())
    d = _datetime(match.groups() if match else None)
    packed = d.year << 26 | d.month << 22 | d.day << 17 | d.hour << 12 | d.minute << 6 | d.second
    return Value(
        datetime_value=Value.Datetime(bit_field_datetime_seconds=packed, nanos=d.microsecond * 1000)
    )


def _date(value):
    match = re.fullmatch(_DATE, value.strip())
    year, month, day = match.groups() if match else None
    days = dt.date(int(year), int(month), int(day)) - EPOCH.date()
    return Value(date_value=days.days)


def _civil_time(value):
    match = re.fullmatch(_TIME, value.strip())
    hour, minute, second, fraction = match.groups() if match else None
    d = _datetime((1970, 1, 1, hour, minute, second, fraction))
    packed = (d.hour << 12 | d.minute << 6 | d.second) << 30 | d.microsecond * 1000
    return Value(time_value=packed)


def _decimal_bytes(value, scale):
    if isinstance(value, bool):
        raise ValueError
    with localcontext() as context:
        context.prec = 100
        try:
            scaled = Decimal(str(value)).scaleb(scale)
            number = int(scaled)
            if number != scaled:
                raise ValueError
        except InvalidOperation:
            raise ValueError from None
    size = number.bit_length() // 8 + 1
    return number.to_bytes(size, "little", signed=True)


SCALARS = {
    t.TYPE_STRING: _string,
    t.TYPE_BYTES: lambda v: Value(bytes_value=base64.b64decode(v, validate=True)),
    t.TYPE_INT64: _int64,
    t.TYPE_DOUBLE: _float64,
    t.TYPE_BOOL: _bool,
    t.TYPE_TIMESTAMP: _timestamp,
    t.TYPE_DATETIME: _civil_datetime,
    t.TYPE_DATE: _date,
    t.TYPE_TIME: _civil_time,
    t.TYPE_NUMERIC: lambda v: Value(numeric_value=_decimal_bytes(v, 9)),
    t.TYPE_BIGNUMERIC: lambda v: Value(bignumeric_value=_decimal_bytes(v, 38)),
    t.TYPE_JSON: _json,
}


# ---------------------------------------------------------------- values to JSON


def decode(ty, value):
    """A value in the canonical JSON form that the README describes."""
    kind = ty.type_kind
    which = value.WhichOneof("value")
    if kind == t.TYPE_ARRAY:
        element = ty.array_type.element_type
        return [decode(element, v) for v in value.array_value.element]  # NULL reads as []
    if which is None:
        return None
    if kind == t.TYPE_STRUCT:
        pairs = zip(struct_fields(ty), value.struct_value.field, strict=True)
        return {name: decode(field, v) for (name, field), v in pairs}
    if kind not in DECODERS:
        raise Unsupported(f"results of type {type_name(ty)} are not supported: cast to STRING")
    return DECODERS[kind](getattr(value, which))


def _float_json(number):
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def _timestamp_text(stamp):
    moment = EPOCH + dt.timedelta(seconds=stamp.seconds, microseconds=stamp.nanos // 1000)
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def _civil_datetime_text(value):
    bits = value.bit_field_datetime_seconds
    return dt.datetime(
        bits >> 26,
        bits >> 22 & 15,
        bits >> 17 & 31,
        bits >> 12 & 31,
        bits >> 6 & 63,
        bits & 63,
        value.nanos // 1000,
    ).isoformat()


def _civil_time_text(packed):
    bits = packed >> 30
    micros = (packed & (1 << 30) - 1) // 1000
    return dt.time(bits >> 12, bits >> 6 & 63, bits & 63, micros).isoformat()


def _decimal_text(data, scale):
    with localcontext() as context:
        context.prec = 100
        number = Decimal(int.from_bytes(data, "little", signed=True)).scaleb(-scale)
        text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _same(value):
    return value


DECODERS = {
    t.TYPE_STRING: _same,
    t.TYPE_BYTES: lambda v: base64.b64encode(v).decode(),
    t.TYPE_INT64: _same,
    t.TYPE_DOUBLE: _float_json,
    t.TYPE_BOOL: _same,
    t.TYPE_TIMESTAMP: _timestamp_text,
    t.TYPE_DATETIME: _civil_datetime_text,
    t.TYPE_DATE: lambda days: (EPOCH.date() + dt.timedelta(days=days)).isoformat(),
    t.TYPE_TIME: _civil_time_text,
    t.TYPE_NUMERIC: lambda v: _decimal_text(v, 9),
    t.TYPE_BIGNUMERIC: lambda v: _decimal_text(v, 38),
    t.TYPE_JSON: _same,
}

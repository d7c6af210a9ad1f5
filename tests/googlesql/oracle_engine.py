"""The GoogleSQL engine: a WebAssembly instance behind a small call interface.

The `zetasql` package has a client of its own.  This one exists because tests
need four things which that one lacks: the compiled module kept on disk (start
in a tenth of a second instead of most of a minute), block copies in and out of
the instance, a clock that a test can stop, and a time limit with recovery from
a trap.
"""

import contextlib
import ctypes
import fcntl
import hashlib
import os
import platform
import re
import struct
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path

import tzdata
import wasmtime
from google._upb import _message as upb
from zetasql.wasi import get_wasm_path

# Resolved queries nest deeper than the 100 levels that protobuf reads by default.
upb.SetAllowOversizeProtos(True)

CLOCK_REALTIME = 0
TICK_SECONDS = 0.05
# The largest that wasmtime takes; it bounds how deeply a query may nest.
WASM_STACK_BYTES = 2 << 20

STATUS_NAMES = (
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS "
    "PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE "
    "UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED"
).split()


class SqlError(Exception):
    """The engine refused a request: a status code and a message."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message


class EngineCrash(Exception):
    """The instance trapped or ran out of time, and has been replaced."""


class Engine:
    """One instance of the engine.  Not safe for use from several threads."""

    def __init__(self, memory_limit_bytes=1 << 30):
        self.memory_limit_bytes = memory_limit_bytes
        self.now_ns = None  # nanoseconds since the epoch: stops the clock there
        self.calls = 0
        self.restarts = 0
        self.generation = 0  # changes whenever ids given out by the instance die
        self._engine = wasmtime.Engine(_config())
        self._module = _load_module(self._engine)
        self._busy = threading.Event()
        threading.Thread(target=self._tick, daemon=True).start()
        self._instantiate()

    @property
    def memory_bytes(self):
        return self._memory.data_len()

    def call(self, method, request, response_type, timeout=60.0):
        """Calls one method of the engine's local service with protobuf messages."""
        self.calls += 1
        self._store.set_epoch_deadline(max(2, round(timeout / TICK_SECONDS) + 1))
        started = time.monotonic()
        self._busy.set()
        try:
            reply = self._call(method, request.SerializeToString())
        except wasmtime.Trap as trap:
            elapsed = time.monotonic() - started
            self.restart()
            if trap.trap_code == wasmtime.TrapCode.INTERRUPT:
                raise EngineCrash(f"stopped after {elapsed:.1f} s") from None
            raise EngineCrash(_cause(trap)) from None
        except wasmtime.WasmtimeError as error:
            self.restart()
            raise EngineCrash(_cause(error)) from None
        finally:
            self._busy.clear()
        return response_type.FromString(reply)

    def restart(self):
        self.restarts += 1
        self._instantiate()

    def recycle_if_large(self):
        """WebAssembly memory never shrinks: start afresh when it has grown a lot."""
        if self.memory_bytes > self.memory_limit_bytes:
            self.restart()

    def _instantiate(self):
        self.generation += 1
        wasi = wasmtime.WasiConfig()
        wasi.inherit_stderr()
        zoneinfo = os.path.join(os.path.dirname(tzdata.__file__), "zoneinfo")
        wasi.preopen_dir(zoneinfo, "/usr/share/zoneinfo")
        self._store = wasmtime.Store(self._engine)
        self._store.set_wasi(wasi)
        self._store.set_epoch_deadline(round(60 / TICK_SECONDS))
        linker = wasmtime.Linker(self._engine)
        linker.define_wasi()
        linker.allow_shadowing = True
        i32, i64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()
        linker.define_func(
            "wasi_snapshot_preview1",
            "clock_time_get",
            wasmtime.FuncType([i32, i64, i32], [i32]),
            self._clock_time_get,
        )
        exports = linker.instantiate(self._store, self._module).exports(self._store)
        self._exports = exports
        self._memory = exports["memory"]
        exports["_initialize"](self._store)

    def _clock_time_get(self, clock, _precision, result):
        if clock != CLOCK_REALTIME:
            now = time.monotonic_ns()
        else:
            now = time.time_ns() if self.now_ns is None else self.now_ns
        self._write(result, struct.pack("<Q", now))
        return 0

    def _call(self, method, request):
        function = self._exports["ZetaSqlLocalService_" + method]
        request_at = self._allocate(len(request))
        size_at = self._allocate(4)
        self._write(request_at, request)
        reply_at = function(self._store, request_at, len(request), size_at)
        size = int.from_bytes(self._read(size_at, 4), "little")
        self._free(request_at)
        self._free(size_at)
        if reply_at == 0:
            raise self._last_error()
        reply = self._read(reply_at, size)
        self._free(reply_at)
        return reply

    def _last_error(self):
        size = self._exports["wasm_get_last_error_size"](self._store)
        at = self._exports["wasm_get_last_error"](self._store)
        text = self._read(at, size).decode("utf-8", "replace") if size else ""
        match = re.match(r"Code: (\d+), Message: (.*)", text, re.DOTALL)
        if not match:
            return SqlError("UNKNOWN", text)
        code = int(match[1])
        name = STATUS_NAMES[code] if code < len(STATUS_NAMES) else str(code)
        return SqlError(name, match[2])

    def _allocate(self, size):
        at = self._exports["wasm_malloc"](self._store, max(size, 1))
        if at == 0:
            raise wasmtime.WasmtimeError("out of memory")
        return at

    def _free(self, at):
        self._exports["wasm_free"](self._store, at)

    # Memory may move and grow during any call into the instance, so its base
    # is looked up anew each time.
    def _base(self):
        return ctypes.addressof(self._memory.data_ptr().contents)

    def _write(self, at, data):
        at &= 0xFFFFFFFF
        if at + len(data) > self._memory.data_len():
            raise wasmtime.WasmtimeError("write outside of memory")
        ctypes.memmove(self._base() + at, data, len(data))

    def _read(self, at, size):
        at &= 0xFFFFFFFF
        if at + size > self._memory.data_len():
            raise wasmtime.WasmtimeError("read outside of memory")
        return ctypes.string_at(self._base() + at, size)

    def _tick(self):
        while True:
            self._busy.wait()
            time.sleep(TICK_SECONDS)
            self._engine.increment_epoch()


def cache_dir():
    """Where the compiled module is kept: inside the environment that runs this."""
    return Path(sys.prefix) / "var" / "googlesql"


def _config():
    config = wasmtime.Config()
    config.shared_memory = True
    config.epoch_interruption = True
    config.max_wasm_stack = WASM_STACK_BYTES
    return config


def _load_module(engine):
    """The compiled module, from the cache or (first run, most of a minute) compiled."""
    wasm = get_wasm_path()
    key = f"{version('zetasql')} {version('wasmtime')} {platform.machine()} {os.stat(wasm).st_size}"
    folder = cache_dir()
    path = folder / f"googlesql-{hashlib.sha256(key.encode()).hexdigest()[:16]}.cwasm"
    if module := _deserialize(engine, path):
        return module
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process compiles, the others wait
        if module := _deserialize(engine, path):
            return module
        print("oracle: compiling the GoogleSQL engine, once", file=sys.stderr, flush=True)
        module = wasmtime.Module.from_file(engine, wasm)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(module.serialize())
        os.replace(file.name, path)
        return module


def _deserialize(engine, path):
    # Refused when it was compiled by another wasmtime or for another processor.
    with contextlib.suppress(wasmtime.WasmtimeError, OSError):
        if path.exists():
            return wasmtime.Module.deserialize_file(engine, str(path))
    return None


def _cause(error):
    """The cause that ends an error's text; before it stands a WebAssembly backtrace."""
    text = str(error)
    if match := re.search(r"wasm trap: .*", text):
        return match[0]
    return text.strip().splitlines()[-1] if text.strip() else type(error).__name__

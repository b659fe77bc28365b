"""Run the instrumenter in a JVM, and call it with py4j on a loopback port, with a token."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any, Literal

from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError

from navitas.base.errors import BuildError
from navitas.capture.build.java import find_java, jar
from navitas.capture.bundle.manifest import Probes

Source = Literal["main", "test", "dependency"]

_MAIN = "org.navitas.bridge.Main"
_START_S = 60.0
_STOP_S = 5.0
_TAIL_LINES = 10
_JVM_FLAGS = ("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

# py4j logs a traceback for errors that are raised here anyway.
logging.getLogger("py4j").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class InstrumentInput:
    """A class folder or jar, and the path of its instrumented copy (a folder for a folder, a jar for a jar).

    In a `dependency`, only classes that an include pattern matches are instrumented. The same is true of classes of known
    frameworks if `may_hold_frameworks`. `module` is a Gradle path such as `:app`.
    """

    path: Path
    out: Path
    source: Source = "main"
    module: str = ":"
    may_hold_frameworks: bool = False


@dataclass(frozen=True, slots=True)
class InstrumentOptions:
    """Patterns for dotted class names (`*` within a package, `**` across packages). Excludes outrank includes.

    `skip_trivial`: getters, setters and similar methods get no probes. `hooks`: calls of input, output and device APIs are
    hooked, with `hook_libraries` also those of all libraries. `probes`: counters of `blocks` have no hooks. `edits`: a file with
    blocks to remove or repeat (docs/dev/formats.md, "Block edits").
    """

    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    skip_trivial: bool = False
    hooks: bool = False
    hook_libraries: bool = False
    probes: Probes = "methods"
    edits: Path | None = None


@dataclass(frozen=True, slots=True)
class InstrumentSummary:
    """Counts of one run: classes and methods in the map, skipped classes and methods, classes written and reused.

    `seen` counts the class files that can contain code. `frameworks` counts those of known frameworks that were not
    instrumented, by the include pattern that would instrument them.
    """

    map_id: str
    classes: int
    methods: int
    skipped: int
    rewritten: int
    reused: int
    seen: int
    frameworks: dict[str, int]
    warnings: tuple[str, ...]


class InstrumenterBridge:
    """A running instrumenter, as a context manager. Every method raises `BuildError` if the JVM fails."""

    def __init__(self, java: Path | None = None) -> None:
        self._java = java
        self._process: subprocess.Popen[str] | None = None
        self._gateway: Any = None
        self._errors: deque[str] = deque(maxlen=_TAIL_LINES)
        self._readers: list[threading.Thread] = []

    def __enter__(self) -> InstrumenterBridge:
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop()

    def instrument(self, inputs: Sequence[InstrumentInput], options: InstrumentOptions, map_file: Path) -> InstrumentSummary:
        """Write the instrumented copies and their method map. Raises `BuildError` that names the file at fault."""
        flat = [
            text
            for each in inputs
            for text in (_text(each.path), _text(each.out), each.source, each.module, str(each.may_hold_frameworks).lower())
        ]
        patterns = list(options.includes), list(options.excludes)
        chosen = (*patterns, options.skip_trivial, options.hooks, options.hook_libraries, options.probes)
        edits = None if options.edits is None else _text(options.edits)
        answer = self._answer("instrument", lambda entry: entry.instrument(flat, *chosen, _text(map_file), edits))
        classes, methods, skipped, rewritten, reused, seen, frameworks_seen = map(int, answer[2:9])
        end = 9 + 2 * frameworks_seen
        frameworks = {pattern: int(count) for pattern, count in zip(answer[9:end:2], answer[10:end:2], strict=True)}
        return InstrumentSummary(answer[1], classes, methods, skipped, rewritten, reused, seen, frameworks, tuple(answer[end:]))

    def census(
        self, classes: Sequence[Path], sources: Sequence[Path], class_path: Sequence[Path], options: InstrumentOptions
    ) -> str:
        """Return the operation census of classes as JSON text. Raises `BuildError` that names the file at fault."""
        paths = [[_text(path) for path in each] for each in (classes, sources, class_path)]
        chosen = list(options.includes), list(options.excludes)
        return str(self._answer("count operations", lambda entry: entry.census(*paths, *chosen))[1])

    def _answer(self, task: str, call: Callable[[Any], Any]) -> list[Any]:
        """The answer to a call of the entry point. Raises `BuildError` if it fails, or the JVM stops."""
        try:
            answer = list(call(self._gateway.entry_point))
        except (Py4JError, OSError) as error:
            raise self._died("stopped while it was working") from error
        if answer[0] != "ok":
            raise BuildError(f"cannot {task}: {answer[1]}", "Check the named file, or leave it out.")
        return answer

    def _start(self) -> None:
        java = self._java or find_java()
        code = [jar("navitas-bridge.jar"), *_compiler_of_java_8(java)]
        command = [str(java), *_JVM_FLAGS, "-cp", os.pathsep.join(map(str, code)), _MAIN]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                env=_environment(),
                start_new_session=True,  # Ctrl-C ends it through its standard input, not in the middle of a line
            )
        except OSError as error:
            raise BuildError(f"{command[0]} cannot be started: {error.strerror}", "Set JAVA_HOME to a JDK.") from error
        lines: Queue[str | None] = Queue()
        self._read(self._process.stderr, self._errors.append, lambda: None)
        self._read(self._process.stdout, lines.put, lambda: lines.put(None))
        token = secrets.token_hex(32)
        self._connect(token, self._port(token, lines))

    def _port(self, token: str, lines: Queue[str | None]) -> int:
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(token + "\n")
            self._process.stdin.flush()
            line = lines.get(timeout=_START_S)
        except OSError:
            line = None
        except Empty:
            raise BuildError(f"the instrumenter's JVM did not answer within {_START_S:.0f} s", "Try again.") from None
        try:
            return int(json.loads(line or "")["port"])
        except (ValueError, KeyError, TypeError):
            raise self._died("could not start") from None

    def _connect(self, token: str, port: int) -> None:
        parameters = GatewayParameters(address="127.0.0.1", port=port, auth_token=token, auto_convert=True)
        self._gateway = JavaGateway(gateway_parameters=parameters)

    def _read(self, stream: Any, on_line: Any, at_end: Any) -> None:
        def run() -> None:
            with stream:
                for line in stream:
                    on_line(line.rstrip("\n"))
            at_end()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self._readers.append(thread)

    def _died(self, what: str) -> BuildError:
        code: int | None = None
        if self._process is not None:
            try:
                code = self._process.wait(timeout=_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        for reader in self._readers:
            reader.join(timeout=_STOP_S)
        ending = "" if code is None else f" (exit code {code})"
        last = "".join(f"\n  {line}" for line in self._errors if not line.startswith("\t"))  # without stack traces
        return BuildError(
            f"the instrumenter's JVM {what}{ending}{last}", "Check the Java in JAVA_HOME or on PATH; it needs Java 8 or newer."
        )

    def _stop(self) -> None:
        if self._gateway is not None:
            self._gateway.close()
            self._gateway = None
        process = self._process
        if process is None:
            return
        self._process = None
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it may already have died
            process.stdin.close()
        try:
            process.wait(timeout=_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for reader in self._readers:
            reader.join(timeout=_STOP_S)


def _compiler_of_java_8(java: Path) -> list[Path]:
    """Return the jar of the JDK's compiler. Since Java 9, the compiler is a module, and the list is empty."""
    homes = java.resolve().parents[1:3]  # `java` can be that of the JDK, or that of the JRE in it
    return [home / "lib" / "tools.jar" for home in homes if (home / "lib" / "tools.jar").is_file()][:1]


def _text(path: Path) -> str:
    text = str(path.absolute())
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BuildError(f"{text!a}: the instrumenter cannot open names that are not UTF-8", "Rename it or its folder.") from None
    return text


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    if sys.platform == "linux":
        environment["LC_ALL"] = "C.UTF-8"  # in a plain C locale, the JVM cannot open names outside of ASCII
    return environment

"""Parse the stream of `am instrument -w -r`, line by line.

Source: AOSP cmds/am Instrument.java and AndroidX InstrumentationResultPrinter.java.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from navitas.base.untrusted_text import clean_name

_STATUS = "INSTRUMENTATION_STATUS: "
_STATUS_CODE = "INSTRUMENTATION_STATUS_CODE: "
_RESULT = "INSTRUMENTATION_RESULT: "
_CODE = "INSTRUMENTATION_CODE: "
_ENDINGS = ("INSTRUMENTATION_FAILED: ", "INSTRUMENTATION_ABORTED: ")
_ON_ERROR = "onError: "

_STARTED = 1
_RESULT_OK = -1
# Limits of one value, such as a stack whose message quotes a whole file, and of the number of values in one status.
_MAX_LETTERS = 1 << 20
_MAX_KEYS = 1000

Status = Literal["passed", "failed", "ignored", "assumption"]
_STATUSES: dict[int, Status] = {0: "passed", -1: "failed", -2: "failed", -3: "ignored", -4: "assumption"}


@dataclass(frozen=True, slots=True)
class TestStarted:
    """A test begins. `current` counts from 1; `total` and `current` are 0 if unknown.

    `method` is empty for a failure of the class itself (such as in @BeforeClass). In a list, a container represents tests
    that are known only when it runs.
    """

    __test__ = False

    class_name: str
    method: str
    current: int
    total: int
    is_container: bool = False


@dataclass(frozen=True, slots=True)
class TestFinished:
    """A test ended. `stack` is empty unless the test or its assumption failed."""

    __test__ = False

    class_name: str
    method: str
    status: Status
    stack: str


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run ended normally (`ok`, whatever the results; `message` is JUnit's summary), or with a crash or refusal."""

    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning of the runner, for the run's report."""

    text: str


Event: TypeAlias = TestStarted | TestFinished | RunFinished | Warned


class InstrumentationParser:
    """Turns lines into events. Never raises: a line outside of the protocol continues a value, or is skipped."""

    def __init__(self) -> None:
        self._status: dict[str, str] = {}
        self._result: dict[str, str] = {}
        self._open: tuple[dict[str, str], str] | None = None
        self._more: list[str] = []
        self._room = 0
        self._error = ""
        self._ended = False

    def feed(self, line: str) -> list[Event]:
        """Process one line without its line end. Returns the events that it completes."""
        line = line.removesuffix("\r")
        if line.startswith(_STATUS):
            self._begin_value(self._status, line[len(_STATUS) :])
        elif line.startswith(_RESULT):
            self._begin_value(self._result, line[len(_RESULT) :])
        elif line.startswith(_STATUS_CODE):
            return self._end_status(_number(line[len(_STATUS_CODE) :]))
        elif line.startswith(_CODE):
            return self._end_run(_number(line[len(_CODE) :]))
        elif line.startswith(_ENDINGS):
            return self._end(ok=False, message=self._error or line)
        elif line.startswith(_ON_ERROR):
            return self._end(ok=False, message=self._error or line.partition("message=")[2])
        elif self._open is not None:
            if len(line) < self._room:
                self._more.append(line)
            self._room -= len(line) + 1
        return []

    def _begin_value(self, values: dict[str, str], text: str) -> None:
        self._close_value()
        key, _, value = text.partition("=")
        if key in values or len(values) < _MAX_KEYS:
            values[key] = value[:_MAX_LETTERS]
            self._open, self._room = (values, key), _MAX_LETTERS - len(value)

    def _close_value(self) -> None:
        """Join a value's lines once, because there may be a million. Drops what exceeds the maximum length."""
        if self._open is not None and self._more:
            values, key = self._open
            values[key] = "\n".join([values[key], *self._more])
        self._open, self._more = None, []

    def _end_status(self, code: int | None) -> list[Event]:
        self._close_value()
        status, self._status = self._status, {}
        if "navitas.warning" in status:
            return [Warned(status["navitas.warning"])]
        if "class" not in status:
            self._error = status.get("Error", self._error)
            return []
        class_name = clean_name(status["class"])
        method = clean_name(status.get("test", ""))
        method = "" if method == "null" else method
        if code == _STARTED:
            current, total = _count(status.get("current")), _count(status.get("numtests"))
            return [TestStarted(class_name, method, current, total, status.get("navitas.container") == "true")]
        if code not in _STATUSES:
            return []
        return [TestFinished(class_name, method, _STATUSES[code], status.get("stack", ""))]

    def _end_run(self, code: int | None) -> list[Event]:
        self._close_value()
        short, long = self._result.get("shortMsg", ""), self._result.get("longMsg", "")
        if code != _RESULT_OK or short:
            crash = f"{short}: {long}" if short and long and long != short else short or long
            summary = self._result.get("stream", "").strip()
            return self._end(ok=False, message=crash or self._error or summary or "the instrumentation was cancelled")
        return self._end(ok=True, message=self._result.get("stream", "").strip())

    def _end(self, *, ok: bool, message: str) -> list[Event]:
        self._close_value()
        if self._ended:
            return []
        self._ended = True
        return [RunFinished(ok, message)]


def _number(text: str) -> int | None:
    try:
        return int(text.strip())
    except ValueError:
        return None


def _count(text: str | None) -> int:
    return max(0, _number(text or "") or 0)

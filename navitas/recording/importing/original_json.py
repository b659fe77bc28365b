"""Read JSON of Navitas-Framework, in both of its schemas.

In the first one, `tests[].logs` is a list of events. In the later one it is an object: its `cpu` is this list, and `wifi` and
`bluetooth` are Android's estimates. Navitas-Framework made both from log lines, and used its host's time zone and year.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from navitas.base.errors import RecordingError
from navitas.recording.importing.measured_log import NOT_MEASURED, LogPart, MeasuredLog, check_count
from navitas.recording.importing.probe_event import EventMaker, ProbeEvent, Section

MAX_JSON_BYTES = 64 << 20
_NO_EVENT = "an unreadable measurement"
_ESTIMATES = ("wifi", "bluetooth")


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Header(_Part):
    pid: int = Field(alias="processID")
    tid: int = Field(alias="threadID")
    method: str = Field(alias="methodName")
    is_entry: bool = Field(alias="isEntry")
    time_ms: int = Field(alias="timestamp")


class _Log(_Part):
    header: _Header


class _Pair(_Part):
    """A frequency (kHz) and its ticks."""

    frequency: int
    timestamp: int


class _Kernel(_Part):
    """A CPU."""

    kernel: int
    details: list[_Pair]


_KERNELS = TypeAdapter(list[_Kernel])


def json_document(data: bytes, shown: str) -> Any:
    """Return the content of a JSON file. Raises `RecordingError` if it is not JSON."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{shown}: unreadable JSON: {_cause(error)}", NOT_MEASURED) from error


def read_original_json(document: Any, shown: str) -> MeasuredLog:
    """Read a document of either schema. Raises `RecordingError` if it is another one, or has no measurement."""
    tests = document.get("tests") if isinstance(document, dict) else None
    if not isinstance(tests, list):
        raise RecordingError(f"{shown}: the JSON has no list of tests", NOT_MEASURED)
    parts: list[LogPart] = []
    found = MeasuredLog(shown, "json", parts)
    maker = EventMaker()
    place = 0
    for test in tests:
        name = test.get("testName") if isinstance(test, dict) else None
        part = LogPart(name if isinstance(name, str) else f"test {len(parts) + 1}")
        parts.append(part)
        for log in _logs(test, found):
            place += 1
            event = _event(log, place, maker)
            if event is None:
                found.note_damage(_NO_EVENT, place)
            else:
                part.events.append(event)
            check_count(shown, maker.count)
    if not maker.count:
        raise found.nothing_usable("no test has a measurement")
    found.first_defect = maker.first_defect
    return found


def _cause(error: ValueError | RecursionError) -> str:
    """What is wrong with a document, without words of Python."""
    if isinstance(error, json.JSONDecodeError):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"its text is not {error.encoding.upper()}, first at byte {error.start:,}"
    return "its values are nested too deeply" if isinstance(error, RecursionError) else "a number has too many digits"


def _logs(test: Any, found: MeasuredLog) -> Iterator[Any]:
    logs = test.get("logs") if isinstance(test, dict) else None
    if isinstance(logs, dict):
        found.format = "json (schema 2)"
        found.estimates += sum(name in logs for name in _ESTIMATES)
        logs = logs.get("cpu")
    elif found.format == "json":
        found.format = "json (schema 1)"
    yield from logs if isinstance(logs, list) else ()


def _event(log: Any, place: int, maker: EventMaker) -> ProbeEvent | None:
    try:
        header = _Log.model_validate(log).header
    except ValidationError:
        return None
    body = log.get("body")
    listed = [part for part in body if isinstance(part, dict)] if isinstance(body, list) else []
    parts = {str(part.get("component")): part.get("details") for part in listed}
    brightness = parts.get("brightness")
    # The JSON of a log without ids (brief) has 0 here, and the time of the conversion.
    has_ids = bool(header.pid or header.tid)
    return maker.event(
        place,
        is_entry=header.is_entry,
        method=header.method,
        ids=(header.pid, header.tid),
        realtime_ns=header.time_ms * 1_000_000 if has_ids else None,
        sections=_sections(parts.get("cpuTimeInStates")),
        brightness=brightness if isinstance(brightness, int) else 0,
    )


def _sections(details: Any) -> list[Section] | None:
    """The CPUs' frequencies and ticks; None if there are none, or the JSON has another form."""
    try:
        kernels = _KERNELS.validate_python(details)
    except ValidationError:
        return None
    return [(one.kernel, [pair.frequency for pair in one.details], [pair.timestamp for pair in one.details]) for one in kernels]

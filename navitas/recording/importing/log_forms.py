"""The forms of log lines: those of logcat (Android: liblog's logprint.cpp), with their modifiers, and of Android Studio."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from navitas.recording.parse.run_chunks import STAMP, LogRecord, parse_line, record_of_parts

TAG: Final = "TEST"
MARK: Final = "TimeInStates"
_TIME = rf"{STAMP}(?: [+-]\d{{4}})? +"
_UID = r"\s*(?:[\w.-]{1,32}:\s*)??"
_PID, _TID = r"(?P<pid>\d{1,10})", r"(?P<tid>0x[0-9a-f]{1,16}|\d{1,10})"
_LEVEL, _TAG = "(?P<priority>[VDIWEFAS])", r"(?P<tag>\S.{0,100}?)"
_PROBE = r"(?P<message>(?:Entry|Exit) .*)"
_FORMS = {
    "time": rf"{_TIME}{_LEVEL}/{_TAG}\s*\({_UID}{_PID}\): ?(?P<message>.*)",
    "Android Studio": rf"{_TIME}{_PID}-{_TID} +(?P<tag>\S{{1,100}})(?: +\S{{1,300}}){{0,2}}? +{_LEVEL} +(?P<message>.*)",
    "older Android Studio": rf"{_TIME}{_PID}-{_TID}/\S{{0,300}} {_LEVEL}/{_TAG}: (?P<message>.*)",
    "thread": rf"{_LEVEL}\({_UID}{_PID}:\s*{_TID}\) {_PROBE}",
    "process": rf"{_LEVEL}\({_UID}{_PID}\) (?P<message>.*?)  \((?P<tag>[^()]*)\)\s*",
    "brief": rf"{_LEVEL}/{_TAG}\s*\({_UID}{_PID}\): ?(?P<message>.*)",
    "tag": rf"{_LEVEL}/(?P<tag>[^\s:]{{1,100}})\s*: (?P<message>.*)",
    "raw": _PROBE,
}
_PATTERNS = [(name, re.compile(pattern)) for name, pattern in _FORMS.items()]
_LONG_HEAD = re.compile(rf"\[ {_TIME.removesuffix('+')}{_UID}{_PID}:\s*{_TID} {_LEVEL}/{_TAG}\s*\]\s*")
_COLOR = re.compile(r"\x1b\[[\d;]{0,20}m")
_ESCAPE = "\x1b"
_NO_FORM = "? "
_EVERYWHERE = ("threadtime", "brief", "long", "Android Studio", "older Android Studio")
"""Forms of lines that can be in a log of another form."""
STUDIO_JSON: Final = "json (Android Studio)"


class FormedRecord(NamedTuple):
    """A record, and the name of its form."""

    form: str
    record: LogRecord


class LogLines:
    """Reads lines in order. The form `long` has two lines for a message: its head, and the text."""

    def __init__(self) -> None:
        self._before = ""
        self._first = ""

    def record(self, line: str) -> FormedRecord | None:
        """Return the record of a line with a measurement, None for other lines and unknown forms. Colors are left out."""
        text = _COLOR.sub("", line) if _ESCAPE in line else line
        before, self._before = self._before, text
        formed = _formed(text, before) if MARK in text else None
        if formed is None:
            return None
        self._first = self._first or formed.form
        # In a log with process and thread ids, a line without them is damaged.
        return formed if formed.form == self._first or formed.form in _EVERYWHERE else None


def _formed(text: str, before: str) -> FormedRecord | None:
    if (usual := parse_line(text)) is not None:
        return FormedRecord("threadtime" if usual.tid else "brief", usual)
    for name, pattern in _PATTERNS:
        if (parts := pattern.fullmatch(text)) is not None:
            head = _LONG_HEAD.fullmatch(before) if name == "raw" else None
            if head is not None:
                return FormedRecord("long", record_of_parts(head.groupdict() | parts.groupdict()))
            return FormedRecord(name, record_of_parts({"tag": TAG, **parts.groupdict()}))
    return None


def is_studio_log(document: object) -> bool:
    """Whether a JSON document is a .logcat file of Android Studio."""
    return isinstance(document, dict) and isinstance(document.get("logcatMessages"), list)


def studio_lines(document: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the messages of a .logcat file with their numbers, as lines of logcat. Of damaged ones, only the text."""
    for number, message in enumerate(document["logcatMessages"], 1):
        match message:
            case {
                "header": {"pid": int(), "tid": int(), "tag": str(), "timestamp": {"seconds": int(), "nanos": int()}} as header,
                "message": str(text),
            }:
                level, time = str(header.get("logLevel"))[:1], header["timestamp"]
                who = f"{header['pid']} {header['tid']} {level} {header['tag']}"
                yield number, f"{time['seconds']}.{time['nanos']:09d} {who}: {text}"
            case {"message": str(text)}:
                yield number, f"{_NO_FORM}{text}"

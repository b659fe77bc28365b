"""Files that an import does not read: those that cannot be opened, and other forms with what converts each of them."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import NamedTuple

from navitas.base.errors import RecordingError
from navitas.base.packed_files import packing_of
from navitas.recording.parse.trace.perfetto_packets import field_numbers, read_packets
from navitas.recording.parse.trace.perfetto_wire import ReadPacket

_CONVERTERS = "docs/importing.md (Other forms) has a command that converts it."
_AGAIN = "Trace with trace-cmd, atrace or Perfetto: sched_switch and cpu_frequency."
_SECONDS = "Trace with the clock boot or mono: trace-cmd record -C boot, or echo boot > trace_clock."
_NO_PROCESS = "It has no process ids. Write it again: adb logcat -v threadtime"
_DATE = rb"(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,9}"


class OtherForm(NamedTuple):
    """A form as part of a sentence, and the remedy."""

    name: str
    remedy: str

    def error(self, shown: str) -> RecordingError:
        """Return the error for a file of this form. `shown` is its name."""
        return RecordingError(f"{shown}: this is {self.name}, which cannot be imported", self.remedy)


_Patterns = tuple[tuple[re.Pattern[bytes], OtherForm], ...]
_TRACES: _Patterns = (
    (re.compile(rb"\A\xff\xfe|\A\xfe\xff"), OtherForm("UTF-16 text", "Convert it: iconv -f UTF-16 -t UTF-8 FILE > trace.txt")),
    (re.compile(rb"\A(?:\*version|SLOW)"), OtherForm("a method trace", "Give it to --methods, and the kernel trace as LOG.")),
    (
        re.compile(rb"\A\x17\x08\x44tracing"),
        OtherForm("the binary file of trace-cmd", "Convert it: trace-cmd report FILE > trace.txt"),
    ),
    (re.compile(rb"\APERFILE2"), OtherForm("a file of perf or simpleperf", _AGAIN)),
    (re.compile(rb"\ASIMPLEPERF"), OtherForm("a file of simpleperf", _AGAIN)),
    (re.compile(rb"TRACE:\r?\n\x78[\x01\x5e\x9c\xda]"), OtherForm("the packed output of atrace -z", _CONVERTERS)),
    (re.compile(rb"\A\s*packet\s*\{"), OtherForm("a Perfetto trace as text", "Convert it: traceconv binary FILE trace.pftrace")),
    (
        re.compile(rb"\A\s*[\[{].{0,2000}?\"(?:traceEvents|ph)\"\s*:", re.DOTALL),
        OtherForm("the JSON of a trace viewer", "Give the trace that it was converted from."),
    ),
    (
        re.compile(rb"^[ \S]{1,40}? +\d{1,7}(?:/\d{1,7})? +\[\d{1,4}\] +\d{1,9}\.\d{6,9}: +(?:\d+ +)?\w+:\w+:", re.MULTILINE),
        OtherForm("the output of perf script", _CONVERTERS),
    ),
    (
        re.compile(rb"^[ \S]{1,40}?-\d{1,7} +\d{1,4}[\w.]{3,7} +[\d.]{1,20}(?:us)?[ +!#$*@]?: ", re.MULTILINE),
        OtherForm("a trace in the kernel's latency format", "Read it again without: echo 0 > options/latency-format"),
    ),
)
_SYSTEM_TRACE = "It has no CPU times. Give a trace with sched_switch and cpu_frequency; of ProfilingManager, the system trace."
_PERFETTO = {
    56: OtherForm("a Java heap dump", _SYSTEM_TRACE),
    37: OtherForm("a heap profile", _SYSTEM_TRACE),
    66: OtherForm("a Perfetto trace of stack samples", _SYSTEM_TRACE),
}
"""Perfetto traces without the scheduler, by the field of `TracePacket` that they have."""
_CLOCK = re.compile(rb"^# *(?:trace[_ ])?clock: *(?:.{0,200}\[([\w-]{1,40})\]|([\w-]{1,40}))", re.MULTILINE)
_NO_SECONDS = re.compile(rb"^[ \S]{1,60}\[\d{1,4}\] (?:[^\s:]{1,12} +)? *\d{1,19}: \w+:", re.MULTILINE)
_LOGS: _Patterns = (
    (re.compile(rb"\s*\x1b\["), OtherForm("a log with colors (logcat -v color)", _CONVERTERS)),
    (re.compile(_DATE + rb" +[VDIWEFAS]/[^(]{1,100}\( *\d+\):"), OtherForm("a log of logcat -v time", _CONVERTERS)),
    (re.compile(_DATE + rb" +\d+-\d+/\S+ [VDIWEFA]/"), OtherForm("a log of an older Android Studio", _CONVERTERS)),
    (re.compile(_DATE + rb" +\d+-\d+ +\S"), OtherForm("a log of Android Studio", _CONVERTERS)),
    (re.compile(rb"[VDIWEFAS]\( *\d+: *(?:0x)?\w+\) "), OtherForm("a log of logcat -v thread", _CONVERTERS)),
    (re.compile(rb"[VDIWEFAS]\( *\d+\) "), OtherForm("a log of logcat -v process", _CONVERTERS)),
    (re.compile(rb"[VDIWEFAS]/[^:(]{1,100}: "), OtherForm("a log of logcat -v tag", _NO_PROCESS)),
)
_LONG_HEAD = re.compile(rb"\[ " + _DATE + rb" +\d+: *\d+ [VDIWEFAS]/")
_LONG = OtherForm("a log of logcat -v long", _CONVERTERS)
_RAW = OtherForm("a log of logcat -v raw", _NO_PROCESS)
_STUDIO_JSON = OtherForm("a .logcat file of Android Studio", _CONVERTERS)


def check_packed(head: bytes, shown: str) -> None:
    """Raise `RecordingError` for a file that begins like a packed one."""
    if (packing := packing_of(head)) is not None:
        raise RecordingError(f"{shown}: packed by {packing.name}", f"Unpack it: {packing.command} FILE")


def trace_form(head: bytes) -> OtherForm | None:
    """Return the form of a file without usable switches of threads, by how it begins."""
    if (found := _first(_TRACES, head, whole=True)) is not None:
        return found
    if _NO_SECONDS.search(head) is None:
        return None
    clock = _CLOCK.search(head)
    name = "" if clock is None else f", {(clock[1] or clock[2]).decode()},"
    return OtherForm(f"a trace whose clock{name} is no time", _SECONDS)


def perfetto_form(path: Path) -> OtherForm | None:
    """Return the form of a Perfetto trace without switches of threads."""
    fields = (number for packet in read_packets(path) if isinstance(packet, ReadPacket) for number in field_numbers(packet))
    return next((_PERFETTO[number] for number in fields if number in _PERFETTO), None)


def log_form(line: str, before: str) -> OtherForm | None:
    """Return the form of a log by a line with a measurement, and the line before it."""
    text = line.encode("utf-8", "replace")
    if (found := _first(_LOGS, text, whole=False)) is not None:
        return found
    if not re.match(r"(?:Entry|Exit) ", line):
        return None
    return _LONG if _LONG_HEAD.match(before.encode("utf-8", "replace")) else _RAW


def json_form(document: object) -> OtherForm | None:
    """Return the form of a JSON document that is not one of Navitas-Framework."""
    return _STUDIO_JSON if isinstance(document, dict) and "logcatMessages" in document else None


def _first(forms: _Patterns, text: bytes, *, whole: bool) -> OtherForm | None:
    return next((form for pattern, form in forms if (pattern.search if whole else pattern.match)(text)), None)


def unreadable(shown: str, error: OSError) -> RecordingError:
    """Return the error for a file that the system, or `navitas.base.regular_files`, does not read."""
    is_other_kind = error.errno == errno.EINVAL
    remedy = "Give it as standard input: navitas import - <FILE" if is_other_kind else "Check the file."
    return RecordingError(f"{shown}: cannot be read: {error.strerror or error}", remedy)

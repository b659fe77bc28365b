"""Traces that an import does not read, and what converts each of them or why nothing does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from navitas.android.perfetto.sampling import SAMPLED_TRACE
from navitas.base.errors import RecordingError
from navitas.recording.parse.trace.perfetto_packets import field_numbers, read_packets
from navitas.recording.parse.trace.perfetto_wire import ReadPacket

_AGAIN = "Trace with trace-cmd, atrace or Perfetto: sched_switch and cpu_frequency."
_SECONDS = "Trace with the clock boot or mono: trace-cmd record -C boot, or echo boot > trace_clock."
_PERFETTO_FIRST = 0x0A
"""The key of the field `packet`, with which a Perfetto trace begins."""
_HEAD_BYTES = 4096


class OtherForm(NamedTuple):
    """A form as part of a sentence, and the remedy."""

    name: str
    remedy: str

    def error(self, shown: str) -> RecordingError:
        """Return the error for a file of this form. `shown` is its name."""
        return RecordingError(f"{shown}: this is {self.name}, which cannot be imported", self.remedy)


_TRACES = (
    (re.compile(rb"\A(?:\*version|SLOW)"), OtherForm("a method trace", "Give it to --methods, and the kernel trace as LOG.")),
    (
        re.compile(rb"\A\x17\x08\x44tracing"),
        OtherForm("the binary file of trace-cmd", "Convert it: trace-cmd report FILE > trace.txt"),
    ),
    (
        re.compile(rb"\APERFILE2"),
        OtherForm("the binary file of perf or simpleperf", "Convert that of perf: perf script -i FILE > trace.txt"),
    ),
    (
        re.compile(rb"\ASIMPLEPERF"),
        OtherForm("a report of simpleperf", "Give it to --stacks, and a kernel trace of the same time as LOG."),
    ),
    (
        re.compile(rb"\A(?:\x00{8}\x03\x00{15}|\x00{4}\x03\x00{3}[\x00\x01]\x00{3})"),
        OtherForm("a CPU profile of gperftools", "Convert it: pprof -proto PROGRAM FILE > profile.pb.gz"),
    ),
    (
        re.compile(
            rb"^[^\s:][^\n:]{0,60}?[ \t]+(?:\d{1,7}/)?\d{1,7}[ \t]+(?:\[\d{1,4}\][ \t]+)?(?:\d{1,18}[ \t]+)?"
            rb"[^\s:\d][^\s:]{0,100}:[ \t]*\n[ \t]*[0-9a-f]{4,16}[ \t]",
            re.MULTILINE,
        ),
        OtherForm("a text of perf script without times", "Print them: perf script -F +time,+pid"),
    ),
    (re.compile(rb"\A\s*packet\s*\{"), OtherForm("a Perfetto trace as text", "Convert it: traceconv binary FILE trace.pftrace")),
    (
        re.compile(rb"\A\s*\[\s*\{.{0,2000}?\"ph\"\s*:", re.DOTALL),
        OtherForm("the JSON of a trace viewer", "Give the trace that it was converted from."),
    ),
    (
        re.compile(rb"^[ \S]{1,40}? +\d{1,7} +\d{1,4} \d [0-9a-f]{8} [0-9a-f]{8,16} +\[[0-9a-f]{8,16}\] +\d", re.MULTILINE),
        OtherForm("a verbose trace in the kernel's latency format", "Read it again: echo noverbose > trace_options"),
    ),
)
_SYSTEM_TRACE = "It has no CPU times. Give a trace with sched_switch and cpu_frequency; of ProfilingManager, the system trace."
_STACKS = OtherForm(
    "a Perfetto trace of stack samples without the scheduler",
    "It does not show when threads run, so nothing has energy. Trace both, with this configuration and the name of your app:\n"
    + SAMPLED_TRACE,
)
_PERFETTO = {
    56: OtherForm("a Java heap dump", _SYSTEM_TRACE),
    37: OtherForm("a heap profile", _SYSTEM_TRACE),
    66: _STACKS,
    135: _STACKS,
}
"""Perfetto traces without the scheduler, by the field of `TracePacket` that they have."""
KERNEL_TRACE = OtherForm("a kernel trace alone", "Give what ran in it, too: --methods or --stacks.")
STACKS = OtherForm("a file of stack samples alone", "Give it to --stacks, and a kernel trace of the same time as LOG.")
_CLOCK = re.compile(rb"^# *(?:trace[_ ])?clock: *(?:.{0,200}\[([\w-]{1,40})\]|([\w-]{1,40}))", re.MULTILINE)
_KERNEL_TEXT = re.compile(rb"^# tracer: \S|: (?:sched:)?sched_switch: ", re.MULTILINE)
_NO_SECONDS = re.compile(
    rb"^[ \S]{1,60}(?:\[\d{1,4}\] (?:[^\s:]{1,12} +)?|-\d{1,7} +\d{1,4}[^\s\d:]\S{1,7} )[ +]*\d{1,19}: \w+:", re.MULTILINE
)


def is_perfetto(head: bytes) -> bool:
    """Whether a file begins like a Perfetto trace, and not like text."""
    return head[:1] == bytes([_PERFETTO_FIRST]) and any(byte < 9 or byte >= 0x80 for byte in head[:_HEAD_BYTES])


def is_kernel_text(head: bytes) -> bool:
    """Whether a file begins like a text of the kernel's events."""
    return _KERNEL_TEXT.search(head) is not None


def trace_form(head: bytes) -> OtherForm | None:
    """Return the form of a file without usable switches of threads, by how it begins."""
    if (named := next((form for pattern, form in _TRACES if pattern.search(head)), None)) is not None:
        return named
    if _NO_SECONDS.search(head) is None:
        return None
    clock = _CLOCK.search(head)
    name = "" if clock is None else f", {(clock[1] or clock[2]).decode()},"
    return OtherForm(f"a trace whose clock{name} is no time", _SECONDS)


def perfetto_form(path: Path) -> OtherForm | None:
    """Return the form of a Perfetto trace without switches of threads."""
    fields = (number for packet in read_packets(path) if isinstance(packet, ReadPacket) for number in field_numbers(packet))
    return next((_PERFETTO[number] for number in fields if number in _PERFETTO), None)

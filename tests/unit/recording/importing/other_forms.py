"""The same kernel trace and the same log in each form that an import reads, and traces in those that it refuses."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from support.perfetto_writer import PerfettoWriter, content

_SWITCH = "prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=app main next_pid=8 next_prio=120"
FTRACE = (
    f"app main-7     [001] d..2  5.000001: sched_switch: {_SWITCH}\n"
    "app main-8     [001] d..2  5.000004: cpu_frequency: state=800000 cpu_id=1\n"
)
PERF = (
    f"app main     7 [001]     5.000001:        sched:sched_switch: {_SWITCH}\n"
    "\tffffffff81a0 schedule+0x2f ([kernel.kallsyms])\n\n"
    "app main     7/8 [001]     5.000004:          1   power:cpu_frequency: state=800000 cpu_id=1\n"
)
LATENCY = (
    f"# tracer: nop\n#\n# clock: boot\napp main-7         1d..2. 5000001us : sched_switch: {_SWITCH}\n"
    "app main-8         1d..2. 5000004us+: cpu_frequency: state=800000 cpu_id=1\n"
)
TRACES = {
    "kernel": FTRACE.encode(),
    "UTF-16": FTRACE.encode("utf-16"),
    "perf script": PERF.encode(),
    "perf script in UTF-16": PERF.encode("utf-16"),
    "latency": LATENCY.encode(),
    "latency of trace-cmd": LATENCY.replace("5000001us ", "5.000001").replace("5000004us+", "5.000004").encode(),
    "atrace -z": b"capturing trace... done\nTRACE:\n" + zlib.compress(FTRACE.encode()),
    "JSON": json.dumps({"traceEvents": [{"args": {"name": '"systemTraceEvents": "'}}], "systemTraceEvents": FTRACE}).encode(),
    "JSON with spaces": json.dumps({"systemTraceEvents": FTRACE, "metadata": {}}, indent=1).encode(),
}
"""A switch and a frequency in each form."""


def _perfetto(field: int) -> bytes:
    """A Perfetto trace with clocks, and one packet with this field."""
    writer = PerfettoWriter()
    writer.snapshot(9_000_000, 8_000_000, 7_000_000)
    writer.packet(content(field, b""), t_ns=9_000_001)
    return bytes(writer)


REFUSED = {
    "a Java heap dump": _perfetto(56),
    "a heap profile": _perfetto(37),
    "a Perfetto trace of stack samples without the scheduler": _perfetto(66),
    "a method trace": b"*version\n3\n",
    "the binary file of trace-cmd": b"\x17\x08\x44tracing6\0\0\0",
    "the binary file of perf or simpleperf": b"PERFILE2" + bytes(100),
    "a report of simpleperf": b"SIMPLEPERF\1\0",
    "a CPU profile of gperftools": bytes(8) + b"\3" + bytes(15) + b"\x10\x27" + bytes(6),
    "a text of perf script without times": b"app main     7/8 [001]   cycles:\n\t  7f01 main (/usr/bin/app)\n",
    "a Perfetto trace as text": b"packet {\n  ftrace_events {\n",
    "the JSON of a trace viewer": b'[{"name": "a", "ph": "X"}]',
    "the JSON of a trace viewer without the kernel's text (systemTraceEvents)": b'{"traceEvents": [{"ph": "X"}]}',
    "a trace whose clock, x86-tsc, is no time": (
        f"# clock: x86-tsc\n app main-7     (    7) [001] d..2  12000000000: sched_switch: {_SWITCH}\n"
    ).encode(),
    "a trace whose clock is no time": f" app main-7     [001]  12000000000: sched_switch: {_SWITCH}\n".encode(),
    "a trace whose clock, counter, is no time": (
        f"# clock: counter\napp main-7         1d..2. 12000000000: sched_switch: {_SWITCH}\n"
    ).encode(),
    "a verbose trace in the kernel's latency format": (
        f"        app main       7   1 1 00000002 00000003 [000012ab] 5000.001ms (+0.003ms): sched_switch: {_SWITCH}\n"
    ).encode(),
}
"""A file of each refused form, by the form's name."""


class Message(NamedTuple):
    """A probe's message, when (ms after 12:00:10) and by whom it was written."""

    pid: int
    tid: int
    ms: int
    text: str


MESSAGES = tuple(
    Message(4321, 4322, ms, f"{kind} app.Main.{name} TimeInStates cpu0 500000 {100 + 5 * number} 1000000 200 ; EndOfData 100")
    for number, (ms, kind, name) in enumerate(
        ((5, "Entry", "run"), (9, "Entry", "work"), (120, "Exit", "work"), (121, "Exit", "run"))
    )
)


class LogForm(NamedTuple):
    """A line of a form, and whether it has process ids, thread ids and times."""

    line: str
    has_process: bool = True
    has_threads: bool = False
    has_times: bool = False


LOGS = {
    "threadtime": LogForm("05-03 12:00:{s:06.3f} {pid:5d} {tid:5d} D TEST    : {text}", has_threads=True, has_times=True),
    "color": LogForm(
        "\x1b[38;5;40m05-03 12:00:{s:06.3f}  {pid}  {tid} D TEST    : {text}\x1b[0m", has_threads=True, has_times=True
    ),
    "time": LogForm("05-03 12:00:{s:06.3f} D/TEST    ({pid:5d}): {text}", has_times=True),
    "time with users": LogForm("05-03 12:00:{s:06.3f} +0000 D/TEST    (u0_a99:{pid:5d}): {text}", has_times=True),
    "long": LogForm("[ 05-03 12:00:{s:06.3f} {pid:5d}:{tid:5d} D/TEST     ]\n{text}\n", has_threads=True, has_times=True),
    "older long": LogForm("[ 05-03 12:00:{s:06.3f} {pid:5d}:{tid:#x} D/TEST     ]\n{text}\n", has_threads=True, has_times=True),
    "brief": LogForm("D/TEST    ({pid:5d}): {text}"),
    "brief with users": LogForm("D/TEST    (10099:{pid:5d}): {text}"),
    "process": LogForm("D({pid:5d}) {text}  (TEST)"),
    "colored process": LogForm("\x1b[38;5;40mD({pid:5d}) {text}\x1b[0m  (TEST)"),
    "thread": LogForm("D({pid:5d}:{tid:5d}) {text}", has_threads=True),
    "older thread": LogForm("D({pid:5d}:{tid:#x}) {text}", has_threads=True),
    "tag": LogForm("D/TEST    : {text}", has_process=False),
    "raw": LogForm("{text}", has_process=False),
    "Android Studio": LogForm(
        "2021-05-03 12:00:{s:06.3f}  {pid}-{tid}  TEST            org.example.app             D  {text}",
        has_threads=True,
        has_times=True,
    ),
    "Android Studio without packages": LogForm(
        "2021-05-03 12:00:{s:06.3f}  {pid}-{tid}  TEST            D  {text}", has_threads=True, has_times=True
    ),
    "older Android Studio": LogForm(
        "2021-05-03 12:00:{s:06.3f} {pid}-{tid}/org.example.app D/TEST: {text}", has_threads=True, has_times=True
    ),
}
STUDIO_FILE = LogForm("", has_threads=True, has_times=True)
_BEGIN_S = 1_620_043_210


def log_of(name: str, messages: Sequence[Message]) -> str:
    """Return a log of these messages in a form."""
    line = LOGS[name].line
    return "--------- beginning of main\n" + "".join(
        line.format(s=10 + one.ms / 1000, pid=one.pid, tid=one.tid, text=one.text) + "\n" for one in messages
    )


def studio_file(messages: Sequence[Message]) -> str:
    """Return a .logcat file of Android Studio."""
    entries = [
        {
            "header": {
                "logLevel": "DEBUG",
                "pid": one.pid,
                "tid": one.tid,
                "applicationId": "org.example.app",
                "tag": "TEST",
                "timestamp": {"seconds": _BEGIN_S + one.ms // 1000, "nanos": one.ms % 1000 * 1_000_000},
            },
            "message": one.text,
        }
        for one in messages
    ]
    return json.dumps({"metadata": {}, "logcatMessages": entries})

"""A kernel trace and a log in the forms that an import names."""

from __future__ import annotations

import gzip
import json
import zlib

from support.perfetto_writer import PerfettoWriter, content

_SWITCH = "prev_comm=a prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=app main next_pid=8 next_prio=120"
FTRACE = f"app main-7     [001] d..2  5.000001: sched_switch: {_SWITCH}\n"
PERF = f"app main     7 [001]     5.000001:        sched:sched_switch: {_SWITCH}\n"
_HEADER = {"pid": 4321, "tid": 4322, "tag": "TEST", "logLevel": "DEBUG", "timestamp": {"seconds": 1620043210, "nanos": 5000000}}


def _perfetto(field: int) -> bytes:
    """A Perfetto trace with clocks, and one packet with this field."""
    writer = PerfettoWriter()
    writer.snapshot(9_000_000, 8_000_000, 7_000_000)
    writer.packet(content(field, b""), t_ns=9_000_001)
    return bytes(writer)


TRACES = {
    "a Java heap dump": _perfetto(56),
    "a heap profile": _perfetto(37),
    "a Perfetto trace of stack samples": _perfetto(66),
    "UTF-16 text": FTRACE.encode("utf-16"),
    "a method trace": b"*version\n3\n",
    "the binary file of trace-cmd": b"\x17\x08\x44tracing6\0\0\0",
    "a file of perf or simpleperf": b"PERFILE2" + bytes(100),
    "a file of simpleperf": b"SIMPLEPERF\1\0",
    "the packed output of atrace -z": b"capturing trace... done\nTRACE:\n" + zlib.compress(FTRACE.encode()),
    "a Perfetto trace as text": b"packet {\n  ftrace_events {\n",
    "the JSON of a trace viewer": b'{"traceEvents": [{"ph": "X"}]}',
    "the output of perf script": PERF.encode(),
    "a trace in the kernel's latency format": f"app main-7         1d..2. 5000000us : sched_switch: {_SWITCH}\n".encode(),
    "a trace whose clock, x86-tsc, is no time": (
        f"# clock: x86-tsc\n app main-7     (    7) [001] d..2  12000000000: sched_switch: {_SWITCH}\n"
    ).encode(),
    "a trace whose clock is no time": f" app main-7     [001]  12000000000: sched_switch: {_SWITCH}\n".encode(),
}
"""A file of each form, by the form's name."""
MESSAGES = tuple(
    f"{kind} app.Main.{name} TimeInStates cpu0 500000 {100 + 5 * ticks} 1000000 200 ; EndOfData 100"
    for ticks, (kind, name) in enumerate((("Entry", "run"), ("Entry", "work"), ("Exit", "work"), ("Exit", "run")))
)
_LINES = {
    "a log with colors (logcat -v color)": "\x1b[38;5;40m05-03 12:00:10.005  4321  4322 D TEST    : {}\x1b[0m",
    "a log of logcat -v time": "05-03 12:00:10.005 D/TEST    ( 4321): {}",
    "a log of logcat -v long": "[ 05-03 12:00:10.005  4321: 4322 D/TEST     ]\n{}\n",
    "a log of logcat -v raw": "{}",
    "a log of logcat -v tag": "D/TEST    : {}",
    "a log of logcat -v process": "D( 4321) {}  (TEST)",
    "a log of logcat -v thread": "D( 4321: 4322) {}",
    "a log of Android Studio": "2021-05-03 12:00:10.005  4321-4322  TEST            org.example.app             D  {}",
    "a log of an older Android Studio": "2021-05-03 12:00:10.005 4321-4322/org.example.app D/TEST: {}",
}
LOGS = {name: "".join(f"{line.format(one)}\n" for one in MESSAGES) for name, line in _LINES.items()} | {
    "a .logcat file of Android Studio": json.dumps(
        {"metadata": {}, "logcatMessages": [{"header": _HEADER, "message": one} for one in MESSAGES]}
    )
}
"""The same measurements in each form, by the form's name."""
GZIP = gzip.compress(FTRACE.encode())

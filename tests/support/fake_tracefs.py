"""The kernel tracer's files in a folder, and pages of its buffers, byte by byte (kernel/trace/ring_buffer.c)."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Iterable
from pathlib import Path

from navitas.virtual_phone.kernel.tracefs import Tracefs

STAT_RUNTIME, SWITCH, NEWTASK = 366, 372, 205
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
THREAD, PROCESS = 0x3D0F00, 0x1200000
_COMMON = """\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

"""
FORMATS = {
    "header_page": """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
""",
    "sched/sched_switch/format": f"""name: sched_switch
ID: {SWITCH}
format:
{_COMMON}\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;
\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;
\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;
\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;
\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;
\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;
""",
    "sched/sched_stat_runtime/format": f"""name: sched_stat_runtime
ID: {STAT_RUNTIME}
format:
{_COMMON}\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;
\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;
""",
    "task/task_newtask/format": f"""name: task_newtask
ID: {NEWTASK}
format:
{_COMMON}\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;
\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;
\tfield:u64 clone_flags;\toffset:32;\tsize:8;\tsigned:0;
\tfield:short oom_score_adj;\toffset:40;\tsize:2;\tsigned:1;
""",
}

Record = tuple[int, bytes]
"""When, and the bytes of one event."""


class FakeTracefs(Tracefs):
    """Like the kernel, fills new instances with files and removes the files with them. A core's pages are its pipe's file."""

    def __init__(self, root: Path, pages: dict[int, bytes] | None = None) -> None:
        self.pages = pages or {0: b"", 1: b""}
        for name, text in FORMATS.items():
            (root / "events" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "events" / name).write_text(text)
        (root / "instances").mkdir(exist_ok=True)
        super().__init__(root)

    def _make(self, folder: Path) -> None:
        folder.mkdir()
        for name in ("tracing_on", "trace_clock", "buffer_size_kb", "options/event-fork", "set_event_pid"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).touch()
        for name in FORMATS:
            if name.endswith("format"):
                (folder / "events" / name).parent.mkdir(parents=True)
                (folder / "events" / name).with_name("enable").touch()
        for cpu, data in self.pages.items():
            pipe = folder / f"per_cpu/cpu{cpu}/trace_pipe_raw"
            pipe.parent.mkdir(parents=True)
            pipe.write_bytes(data)

    def _remove(self, folder: Path) -> None:
        shutil.rmtree(folder)


def ran(t_ns: int, tid: int, run_ns: int) -> Record:
    """The kernel accounts CPU time."""
    return t_ns, struct.pack("=HBBi16si4xQ", STAT_RUNTIME, 0, 0, tid, b"any", tid, run_ns)


def switch(t_ns: int, prev: tuple[int, str], state: int, following: tuple[int, str]) -> Record:
    """A switch from one thread to another. Each is a tid and a name."""
    (prev_tid, prev_name), (next_tid, next_name) = prev, following
    names = prev_name.encode(), next_name.encode()
    data = struct.pack("=HBBi16siiq16sii", SWITCH, 0, 0, prev_tid, names[0], prev_tid, 120, state, names[1], next_tid, 120)
    return t_ns, data


def newtask(t_ns: int, parent: int, tid: int, name: str, flags: int = THREAD) -> Record:
    """A thread or process starts."""
    return t_ns, struct.pack("=HBBii16s4xQhxx", NEWTASK, 0, 0, parent, tid, name.encode(), flags, 0)


def page(records: Iterable[Record], *, begin_ns: int, missed: bool = False, stamped: bool = False) -> bytes:
    """Return a page that begins at `begin_ns`. Long gaps use time extensions, or absolute times (`stamped`)."""
    data, at_ns = b"", begin_ns
    for t_ns, record in records:
        delta = t_ns - at_ns
        if delta >> 27 or stamped:
            high = t_ns if stamped else delta
            data += struct.pack("=II", (31 if stamped else 30) | (high & (1 << 27) - 1) << 5, high >> 27 & 0xFFFFFFFF)
            delta = 0
        words = -(-len(record) // 4)
        padded = record.ljust(4 * words, b"\0")
        if words <= 28:
            data += struct.pack("=I", words | delta << 5) + padded
        else:
            data += struct.pack("=II", delta << 5, 4 + len(padded)) + padded
        at_ns = t_ns
    assert len(data) <= PAGE_BYTES - 16
    return (struct.pack("=QQ", begin_ns, len(data) | missed << 31) + data).ljust(PAGE_BYTES, b"\0")

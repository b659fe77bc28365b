"""Write Perfetto traces byte by byte from simple lists. It shares no code with the reader, so that it can check the reader."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from navitas.base.protobuf_writer import content, number, packed

Switch = tuple[int, int, int, str | bytes]
"""t_ns, prev_state, next_tid, next_name"""


@dataclass
class PerfettoWriter:
    """Packets in the order in which they are added. `machine` is that of the next packets (0: the host)."""

    sequence: int = 1
    machine: int = 0
    packets: list[bytes] = field(default_factory=list)

    def packet(self, body: bytes, *, t_ns: int | None = None, clock: int = 0, dropped: bool = False) -> None:
        """Add any packet. `clock` is the clock of its time (0: the default clock)."""
        head = number(10, self.sequence) + (number(8, t_ns) if t_ns is not None else b"") + (number(58, clock) if clock else b"")
        head += number(98, self.machine) if self.machine else b""
        self.packets.append(head + body + (number(42, 1) if dropped else b""))

    def snapshot(self, boottime_ns: int, monotonic_ns: int, realtime_ns: int, *more: tuple[int, int]) -> None:
        """Add readings of three clocks at the same time, and of more clocks by number."""
        clocks = ((1, realtime_ns), (3, monotonic_ns), (6, boottime_ns), *more)
        self.packet(content(6, b"".join(content(1, number(1, clock) + number(2, t_ns)) for clock, t_ns in clocks)))

    def compact(self, cpu: int, switches: Sequence[Switch], *, lost: bool = False, dropped: bool = False) -> None:
        """Add a bundle of switches in arrays."""
        names = list(dict.fromkeys(name for *_, name in switches))
        t_ns = [0, *(t_ns for t_ns, *_ in switches)]
        body = packed(1, (b - a for a, b in pairwise(t_ns)))
        body += packed(2, (state for _, state, _, _ in switches)) + packed(3, (tid for _, _, tid, _ in switches))
        body += packed(4, [120] * len(switches)) + b"".join(content(5, name) for name in names)
        body += packed(6, (names.index(name) for *_, name in switches))
        self.packet(content(1, number(1, cpu) + number(3, lost) + content(4, body)), dropped=dropped)

    def bundle(self, cpu: int, events: Sequence[bytes], *, lost: bool = False, dropped: bool = False, clock: bytes = b"") -> None:
        """Add a bundle of single events. `clock` are fields 5 to 7 of a bundle that is not in boottime."""
        body = number(1, cpu) + b"".join(content(2, event) for event in events) + number(3, lost) + clock
        self.packet(content(1, body), dropped=dropped)

    def tree(
        self,
        processes: dict[int, str],
        threads: Sequence[tuple[int, int, str]],
        t_ns: int | None = None,
        uids: dict[int, int] | None = None,
    ) -> None:
        """Add processes by number, with their uids, and threads as tid, tgid, name."""
        owner = {pid: number(5, uid) for pid, uid in (uids or {}).items()}
        body = b"".join(content(1, number(1, pid) + content(3, name) + owner.get(pid, b"")) for pid, name in processes.items())
        body += b"".join(content(2, number(1, tid) + content(2, name) + number(3, tgid)) for tid, tgid, name in threads)
        self.packet(content(2, body), t_ns=t_ns)

    def polled_frequencies(self, t_ns: int | None, khz: Sequence[int], clock: int = 0) -> None:
        """Add every core's frequency at the same time."""
        self.packet(content(7, b"".join(number(11, value) for value in khz)), t_ns=t_ns, clock=clock)

    def rails(
        self, names: Sequence[str], readings: Iterable[tuple[int, int | None, int]], *, t_ns: int | None = None, clock: int = 0
    ) -> None:
        """Add names of rails (only in the first packet) and readings: index of the rail, ms of boottime, µWs."""
        body = b"".join(content(1, number(1, i) + content(2, name)) for i, name in enumerate(names))
        for i, t_ms, energy in readings:
            body += content(2, number(1, i) + (b"" if t_ms is None else number(2, t_ms)) + number(3, energy))
        self.packet(content(40, body), t_ns=t_ns, clock=clock)

    def consumers(
        self,
        described: Sequence[tuple[int, str, str]],
        consumer: int | None,
        energy: int,
        by_uid: dict[int, int],
        t_ns: int | None,
    ) -> None:
        """Add descriptors (id, type, name; only in the first packet) and one consumer's energy in µWs, and that of uids."""
        inner = (content(1, number(1, one) + number(2, 0) + content(3, kind) + content(4, name)) for one, kind, name in described)
        body = content(1, b"".join(inner)) if described else b""
        if consumer is not None:
            body += number(2, consumer) + number(3, energy)
            body += b"".join(content(4, number(1, uid) + number(2, spent)) for uid, spent in by_uid.items())
        self.packet(content(77, body), t_ns=t_ns)

    def default_clock(self, clock: int) -> None:
        """Set the clock of later packets of this sequence."""
        self.packet(content(59, number(58, clock)))

    def ftrace_stats(self, phase: int, overruns: dict[int, int]) -> None:
        """Add the kernel's count of overruns at the start (1) or end (2)."""
        cpus = b"".join(content(2, number(1, cpu) + number(3, overrun)) for cpu, overrun in overruns.items())
        self.packet(content(34, number(1, phase) + cpus))

    def buffer_stats(self, **counts: int) -> None:
        """Add the buffers' counts."""
        fields = {"chunks_overwritten": 3, "patches_failed": 6, "chunks_discarded": 18, "trace_writer_packet_loss": 19}
        self.packet(content(35, content(1, b"".join(number(fields[name], value) for name, value in counts.items()))))

    def compress(self) -> None:
        """Replace all packets so far by one compressed packet."""
        whole = zlib.compress(bytes(self))
        self.packets = [content(50, whole)]

    def __bytes__(self) -> bytes:
        return b"".join(content(1, packet) for packet in self.packets)


def event(t_ns: int, of: int, body: bytes, pid: int = 0) -> bytes:
    """Encode any event."""
    return number(1, t_ns) + number(2, pid) + content(of, body)


def switch(t_ns: int, prev: tuple[str, int, int], following: tuple[str, int]) -> bytes:
    """Encode sched_switch from name, tid and state of the leaving thread to name and tid of the next thread."""
    body = content(1, prev[0]) + number(2, prev[1]) + number(4, prev[2]) + content(5, following[0]) + number(6, following[1])
    return event(t_ns, 4, body, prev[1])


def frequency(t_ns: int, cpu: int, khz: int) -> bytes:
    """cpu_frequency."""
    return event(t_ns, 11, number(1, khz) + number(2, cpu))


def idle(t_ns: int, cpu: int, state: int) -> bytes:
    """cpu_idle; -1 leaves."""
    return event(t_ns, 13, number(1, state & 0xFFFFFFFF) + number(2, cpu))


def new_task(t_ns: int, parent: int, tid: int, name: str, *, thread: bool) -> bytes:
    """task_newtask."""
    return event(t_ns, 235, number(1, tid) + content(2, name) + number(3, 0x3D0F00 if thread else 0x11), parent)


def renamed(t_ns: int, tid: int, name: str) -> bytes:
    """task_rename."""
    return event(t_ns, 236, number(1, tid) + content(2, "old") + content(3, name), tid)


def exited(t_ns: int, tid: int, name: str) -> bytes:
    """sched_process_exit."""
    return event(t_ns, 238, content(1, name) + number(2, tid), tid)


def suspended(t_ns: int, *, begins: bool) -> bytes:
    """Encode suspend_resume of the whole machine."""
    return event(t_ns, 113, content(1, "machine_suspend") + number(2, 1) + number(3, begins))


def offline(t_ns: int, cpu: int) -> bytes:
    """Encode sched_cpu_hotplug of a core that went offline."""
    return event(t_ns, 19, number(1, cpu) + number(2, 0) + number(3, 0))

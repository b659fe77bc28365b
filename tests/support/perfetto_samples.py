"""Writes stack samples into Perfetto traces as traced_perf does: what is new is interned in the packet of the sample."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from navitas.base.protobuf_writer import content, number
from navitas.recording.parse.stack_samples import RawSamples
from support.perfetto_writer import PerfettoWriter

Function = tuple[str, str]
"""Name, and the path of the file that has its code."""
_NAMES, _FRAMES, _STACKS, _BUILDS, _PATHS, _MAPPINGS = 5, 6, 7, 16, 17, 19
CLEARED, NEEDS_STATE = 1, 2
MONOTONIC_RAW = 5
CPU_CLOCK, TASK_CLOCK, CYCLES, PAGE_FAULTS = 1, 3, 10, 2


@dataclass
class SampleWriter:
    """One data source `linux.perf`. Stacks are outermost first."""

    trace: PerfettoWriter
    build_id: bytes = bytes(range(20))
    _iids: dict[tuple[int, Hashable], int] = field(default_factory=dict)
    _new: list[bytes] = field(default_factory=list)

    def begin(self, *, frequency: int = 0, period: int = 0, counter: int = CPU_CLOCK, clock: int = 0) -> None:
        """Write the defaults: what takes samples, and the clock of their times. Begins a new state."""
        base = (number(2, frequency) if frequency else b"") + (number(1, period) if period else b"")
        self.begin_by(base + number(4, counter), clock)

    def begin_by(self, timebase: bytes, clock: int = 0) -> None:
        """Write defaults as `begin` does, with any timebase."""
        self._iids.clear()
        defaults = (number(58, clock) if clock else b"") + content(12, content(1, timebase))
        self.trace.packet(number(13, CLEARED) + content(59, defaults))

    def sample(
        self, t_ns: int | None, task: tuple[int, int], stack: Sequence[Function], *, error: int = 0, skipped: int | None = None
    ) -> None:
        """Write a sample of a task (pid, tid). `error` is that of the unwinder; `skipped` is why there is no stack."""
        body = number(1, 0) + number(2, task[0]) + number(3, task[1]) + number(5, 2) + number(6, 1)
        if skipped is None:
            body += number(4, self._stack(tuple(stack)))
        body += number(16, error) if error else b""
        body += b"" if skipped is None else number(18, skipped)
        interned, self._new = b"".join(self._new), []
        self.trace.packet(content(12, interned) + content(66, body) + number(13, NEEDS_STATE), t_ns=t_ns)

    def lost(self, records: int) -> None:
        """Write that the kernel lost records."""
        self.trace.packet(content(66, number(1, 0) + number(17, records)))

    def _stack(self, functions: tuple[Function, ...]) -> int:
        key = (_STACKS, functions)
        if key not in self._iids:
            frames = b"".join(number(2, self._frame(one)) for one in functions)
            self._intern(_STACKS, functions, frames)
        return self._iids[key]

    def _frame(self, function: Function) -> int:
        name, path = function
        parts = b"".join(number(7, self._intern(_PATHS, part, content(2, part))) for part in path.split("/"))
        mapping = self._intern(_MAPPINGS, path, number(2, self._intern(_BUILDS, 0, content(2, self.build_id))) + parts)
        named = number(2, self._intern(_NAMES, name, content(2, name))) if name else b""
        return self._intern(_FRAMES, function, named + number(3, mapping) + number(4, 0x1000))

    def _intern(self, kind: int, key: Hashable, body: bytes) -> int:
        """Return the number of what is interned; new entries follow those that they refer to."""
        if (kind, key) not in self._iids:
            iid = self._iids[kind, key] = len(self._iids) + 1
            self._new.append(content(kind, number(1, iid) + body))
        return self._iids[kind, key]


def stacks_of(samples: RawSamples) -> list[list[str]]:
    """Return the names of each sample's frames, outermost first."""
    found = []
    for innermost in samples.stack.tolist():
        names: list[str] = []
        row = innermost
        while row >= 0:
            frame = samples.frames[samples.stacks.frame[row]]
            names.append(f"{frame.class_name}.{frame.name}" if frame.class_name else frame.name)
            row = int(samples.stacks.parent[row])
        found.append(names[::-1])
    return found

"""Stack samples: which frames a thread was in, at points in time. They are call paths without probes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from navitas.recording.parse.arrays import I32, I64, ColumnTable

FrameKind = Literal["java", "native", "kernel", "unknown"]
SampleClock = Literal["monotonic", "boottime", "realtime", "none"]
"""The clock of samples; `none`: they have no times, and only their numbers count."""
KERNEL: Final = "[kernel]"
"""The module of frames of the kernel and of its modules."""
NO_STACK: Final = -1
"""The row of a stack without frames."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A function as its profiler names it, demangled.

    `module` is the library, the executable or the class path's entry, with `build_id` if it is known. Java's frames have
    `class_name` (with dots) and `descriptor` (empty if unknown). An *unknown* frame could not be unwound or has no symbol.
    """

    kind: FrameKind
    module: str
    class_name: str
    name: str
    descriptor: str = ""
    file: str = ""
    line: int = 0
    build_id: str = ""


@dataclass(frozen=True, slots=True)
class Stacks(ColumnTable):
    """A forest of frames. Row i is the frame `frame[i]`, called by row `parent[i]`, which comes before it; -1: outermost."""

    parent: I32
    frame: I32


@dataclass(frozen=True, slots=True)
class RawSamples(ColumnTable):
    """What a profiler recorded of one or more processes, in any order.

    Sample i shows the thread `tid[i]` at `t_ns[i]` by `clock`, in the row `stack[i]` of `stacks` (its innermost frame; -1:
    without a stack). `frame` of the stacks is a row of `frames`. `period_ns` is the CPU time of a thread between two samples,
    None if it is not known. `lost` is the number of samples that the profiler reports as lost, `cut` that of stacks that end at
    its limit of depth, `broken` that of stacks that it could not unwind, and `others` that of samples of other events than time,
    which are left out, by event. `engine` is what takes the samples, such as `ctimer`; empty if unknown. Row i stands for
    `count[i]` equal samples, without `count` for one.
    """

    t_ns: I64
    tid: I64
    stack: I32
    stacks: Stacks
    frames: tuple[Frame, ...]
    clock: SampleClock
    period_ns: float | None = None
    thread_names: Mapping[int, str] = field(default_factory=dict)
    process_of: Mapping[int, int] = field(default_factory=dict)
    """The process of each thread, as far as it is known."""
    lost: int = 0
    cut: int = 0
    broken: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    engine: str = ""
    count: I64 | None = None

    @property
    def total(self) -> int:
        """The number of samples."""
        return len(self) if self.count is None else int(self.count.sum())


@dataclass(frozen=True, slots=True)
class StackSamples(ColumnTable):
    """The samples of a run by thread, then time: `thread` is a place in `RunTables.threads`, `t_ns` is CLOCK_MONOTONIC.

    `stack` is a row of `stacks`, whose `frame` is a row of the method table: of the method `[unknown]`, for samples without a
    stack. `unplaced` is the number of samples whose time or thread is impossible. Others as `RawSamples`.
    """

    thread: I32
    t_ns: I64
    stack: I32
    stacks: Stacks
    period_ns: float | None = None
    lost: int = 0
    cut: int = 0
    unplaced: int = 0
    broken: int = 0
    engine: str = ""

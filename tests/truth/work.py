"""The operations of threads. Programs are generators that yield them."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

ENTER, EXIT, THROW, RESUME = 0, 1, 2, 3

Program = Generator["Operation", Any, None]


@dataclass(frozen=True, slots=True)
class Run:
    """Compute. `work_ns` is the time that the fastest core takes at its highest frequency."""

    work_ns: float


@dataclass(frozen=True, slots=True)
class Spend:
    """Compute for a time that does not depend on the core's speed, such as reading a clock."""

    ns: float


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait for a timer, a disk or the network."""

    ns: int


@dataclass(slots=True, eq=False)
class Queue:
    """An unbounded channel between threads; locks are queues with one token."""

    items: deque[object] = field(default_factory=deque)
    waiting: deque[Thread] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class Put:
    """Give `item` to the queue's first waiting thread, or add it to the queue."""

    queue: Queue
    item: object = None


@dataclass(frozen=True, slots=True)
class Get:
    """Wait for an item and take it. The value of the `yield` is the item."""

    queue: Queue


@dataclass(frozen=True, slots=True)
class Probe:
    """A method's probe. `kind` is ENTER, EXIT, THROW or RESUME."""

    kind: int
    method: str


@dataclass(frozen=True, slots=True)
class Spawn:
    """Start a thread."""

    thread: Thread


@dataclass(frozen=True, slots=True)
class Mark:
    """The test starts or finishes (`kind` as in navitas' markers)."""

    kind: str


@dataclass(frozen=True, slots=True)
class Here:
    """Ask for the running thread and the time. The value of the `yield` is both."""


@dataclass(frozen=True, slots=True)
class Say:
    """Send or receive a message between modules. `kind` and `flags` are those of chunk type 10 (docs/dev/formats.md)."""

    kind: int
    module: str
    token: int = 0
    flags: int = 0
    period_ms: int = 0
    target: str = ""
    action: str = ""


Operation = Run | Spend | Sleep | Put | Get | Probe | Spawn | Mark | Here | Say


@dataclass(slots=True, eq=False)
class Thread:
    """One thread: its program, its scheduling parameters, and (from `tid` on) its state.

    `nice` is as in Linux. `realtime` threads precede all others. `ipc` scales the speed on each cluster (memory-bound code
        gains less from a big core). `activity` scales the core's power while the thread runs, if hidden physics is enabled.
            `events` are (time, kind, method, CPU ns). `messages` are what it said, with the time. `handed` is work of other
                threads: begin, end, the thread that handed it over, and when. `owned` are spans that it ran for a module.
                    `probing` are spans of its probes.
    """

    name: str
    program: Program
    app: bool = True
    nice: int = 0
    realtime: bool = False
    ipc: tuple[float, ...] = ()
    activity: float = 1.0
    tid: int = 0
    born_ns: int = 0
    died_ns: int = -1
    cpu_ns: int = 0
    events: list[tuple[int, int, str, int]] = field(default_factory=list)
    messages: list[tuple[int, Say]] = field(default_factory=list)
    handed: list[tuple[int, int, Thread, int]] = field(default_factory=list)
    owned: list[tuple[int, int, str]] = field(default_factory=list)
    probing: list[tuple[int, int]] = field(default_factory=list)
    remaining: float = 0.0
    vruntime: float = 0.0
    util: float = 0.0
    util_ns: int = 0
    estimate: float = 0.0
    core: int = -1
    received: object = None
    ends: Queue = field(default_factory=Queue)

    def move_stack(self, stack: list[str], begin: int, end: int) -> None:
        """Apply the events from number `begin` to `end` to a stack of methods."""
        for _, kind, method, _ in self.events[begin:end]:
            if kind in (ENTER, RESUME):
                stack.append(method)
            else:
                stack.pop()


def call(method: str, body: Iterable[Operation]) -> Program:
    """A call of a method, with probes at its entry and exit."""
    yield Probe(ENTER, method)
    yield from body
    yield Probe(EXIT, method)


def with_probes(program: Program, inside_ns: float, outside_ns: float) -> Program:
    """The program, and those of threads that it starts, with probes that take time: inside of each call, and outside.

    Half of either time is at the call's start, and half at its end.
    """
    received: object = None
    while True:
        try:
            operation: Operation = program.send(received)
        except StopIteration:
            return
        if isinstance(operation, Spawn):
            operation.thread.program = with_probes(operation.thread.program, inside_ns, outside_ns)
        if not isinstance(operation, Probe):
            received = yield operation
            continue
        before_ns, after_ns = outside_ns / 2, inside_ns / 2
        if operation.kind not in (ENTER, RESUME):
            before_ns, after_ns = after_ns, before_ns
        yield from _probing(before_ns)
        received = yield operation
        yield from _probing(after_ns)


def _probing(ns: float) -> Program:
    thread, start_ns = yield Here()
    yield Spend(ns)
    _, end_ns = yield Here()
    thread.probing.append((start_ns, end_ns))


def join(threads: Iterable[Thread]) -> Program:
    """Wait until all threads have ended."""
    for thread in threads:
        yield Get(thread.ends)


def lock() -> Queue:
    """A lock, as a queue with one token. Get the token to hold the lock, put it to release the lock."""
    return Queue(deque([None]))


def holding(queue: Queue, body: Iterable[Operation]) -> Program:
    """Run a program while holding a lock."""
    yield Get(queue)
    yield from body
    yield Put(queue)

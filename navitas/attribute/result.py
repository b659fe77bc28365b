"""The analysed result: plain records that every reporter reads. Energies in joules, times in ns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final, Literal, overload

import numpy as np
from numpy.typing import NDArray

from navitas.parse.findings import Lost
from navitas.parse.tables import MethodTable, Role

NOT_THE_TESTS: Final[tuple[Role, ...]] = ("profiler", "jit")
"""Roles of threads whose work is not the test's: the JIT compiler has other code to compile with probes."""

EvidenceLevel = Literal["sched", "thread-freq", "thread-time", "device"]


@dataclass(frozen=True, slots=True)
class MethodEnergy:
    """One method on one thread in one test. `inclusive_*` counts recursion once; `exclusive_j` sums over the thread.

    `cut` counts calls whose end was never seen; `throws` calls that ended by an exception. `*_error_j` are standard errors, where
    ticks have split the thread's energy among its calls or probes' energy was taken off; `raw_*` is with that energy, None where
    it is not known.
    """

    method: int
    calls: int
    throws: int
    cut: int
    inclusive_j: float
    exclusive_j: float
    wall_ns: int
    self_ns: int
    cpu_ns: int
    paper1_j: float | None = None
    inclusive_error_j: float | None = None
    exclusive_error_j: float | None = None
    raw_inclusive_j: float | None = None
    raw_exclusive_j: float | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """One call-tree node; `parent` is -1 at a root; nodes come before their children."""

    id: int
    parent: int
    method: int
    calls: int
    inclusive_j: float
    exclusive_j: float
    wall_ns: int


class Nodes(Sequence[Node]):
    """The nodes of one call tree as columns, for trees of millions of nodes; a `Node` is made where one is asked for.

    `columns` are the fields of `Node` after `id`, in their order.
    """

    __slots__ = ("columns",)

    def __init__(self, *columns: NDArray[np.number[Any]]) -> None:
        self.columns = columns

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> Nodes:
        """The same nodes as columns."""
        if isinstance(nodes, Nodes):
            return nodes
        rows = [(one.parent, one.method, one.calls, one.inclusive_j, one.exclusive_j, one.wall_ns) for one in nodes]
        kinds = (np.int64, np.int64, np.int64, np.float64, np.float64, np.int64)
        return cls(*(np.array([row[i] for row in rows], kind) for i, kind in enumerate(kinds)))

    def rows(self, at: slice = slice(None)) -> Iterator[tuple[int, int, int, float, float, int]]:
        """The columns' values, node by node."""
        return zip(*(column[at].tolist() for column in self.columns), strict=True)

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, index: int) -> Node: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Node]: ...

    def __getitem__(self, index: int | slice) -> Node | Sequence[Node]:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self[number] for number in numbers]
        return Node(numbers, *next(self.rows(slice(numbers, numbers + 1))))

    def __iter__(self) -> Iterator[Node]:
        return (Node(number, *row) for number, row in enumerate(self.rows()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class ThreadEnergy:
    """One thread in one test: Σ exclusive_j of methods + untraced_j + probes_j = energy_j.

    `count` > 1: so many short threads of one name stem in one row.
    """

    serial: int
    tid: int
    name: str
    role: Role
    count: int
    energy_j: float
    cpu_ns: int
    untraced_j: float
    probes_j: float
    methods: tuple[MethodEnergy, ...]
    nodes: Sequence[Node]


@dataclass(frozen=True, slots=True)
class TestEnergy:
    """One test: Σ threads + other_processes_j + idle_j + unattributed_j = energy_j.

    `unprobed_j` is what the test used in the run without probes beside this one (`--baseline`), `unprobed_threads_j` what its
    threads used there (`threads_j`).

    None where what probes cost is not known: `probes_error_j`, the standard error of `probes_j`; `sampled_probes_j`, that energy
    by the sampled cost alone, whatever runs without probes say; `whole_compensated_j` and its error, what the test would have
    used without probes.
    """

    id: int
    run: int
    module: str
    class_name: str
    method: str
    repeat: int
    status: str
    wall_ns: int
    energy_j: float
    other_processes_j: float
    idle_j: float
    unattributed_j: float
    threads: tuple[ThreadEnergy, ...]
    paper1_j: float | None = None
    unprobed_j: float | None = None
    unprobed_threads_j: float | None = None
    probes_error_j: float | None = None
    sampled_probes_j: float | None = None
    whole_compensated_j: float | None = None
    compensated_error_j: float | None = None

    @property
    def threads_j(self) -> float:
        """What its threads used, the profiler's and the JIT compiler's aside."""
        return fsum(thread.energy_j for thread in self.threads if thread.role not in NOT_THE_TESTS)

    @property
    def probes_j(self) -> float:
        """What probes used."""
        return fsum(thread.probes_j for thread in self.threads)

    @property
    def compensated_j(self) -> float:
        """What it would have used without probes; `energy_j` where their cost is not known."""
        return self.energy_j if self.whole_compensated_j is None else self.whole_compensated_j


@dataclass(frozen=True, slots=True)
class Totals:
    """Over all runs: threads_j + other_processes_j + idle_j + unattributed_j = energy_j = Σ tests + outside_tests_j.

    Runs of a baseline are not among them. `rails_j` is what the device's rails measured while they were read,
    `rails_estimate_j` the estimate for that time.
    """

    energy_j: float
    charge_mah: float
    threads_j: float
    other_processes_j: float
    idle_j: float
    unattributed_j: float
    outside_tests_j: float
    rails_j: float | None = None
    rails_estimate_j: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The level used, and why it is not a better one (or lower for some intervals).

    `tick_ns`: the longest period of the runs' ticks, where ticks timed the calls; else None.
    """

    level: EvidenceLevel
    reasons: tuple[str, ...]
    tick_ns: float | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning in the result: code, message, remedy."""

    code: str
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything a report can say; reporters add nothing but form."""

    device: dict[str, object]
    project: str
    settings: dict[str, object]
    power_profile: dict[str, object]
    battery_mah: float | None
    voltage_v: float
    evidence: Evidence
    methods: MethodTable
    totals: Totals
    tests: tuple[TestEnergy, ...]
    warnings: tuple[Notice, ...]
    losses: tuple[Lost, ...] = ()

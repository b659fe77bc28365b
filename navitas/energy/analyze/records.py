"""Records of tests, threads, methods and calls: views of the ledger's rows. Energies are in joules, times in ns.

A record's `components` split its energy by component, in the order of `Profile.components`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, starmap
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from navitas.recording.codes import WarningCode
from navitas.recording.parse.arrays import F64, I64

_RAILS_LIMIT = 0.1
_ROUNDING = 1e-9
T = TypeVar("T")

BLOCK_ROWS = 1 << 13
"""The rows that are converted to Python values together: single conversions take microseconds."""


class _Records(Sequence[T]):
    """Records that are created when they are read. They equal any sequence with the same records."""

    __slots__ = ()

    def _records(self, first: int, stop: int) -> Iterator[T]:
        """Create the records first … stop - 1."""
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...

    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        numbers = range(len(self))[index]
        if isinstance(numbers, int):
            return next(self._records(numbers, numbers + 1))
        if not numbers:
            return []
        first, last = sorted((numbers[0], numbers[-1]))
        return list(self._records(first, last + 1))[:: numbers.step]

    def __iter__(self) -> Iterator[T]:
        return self._records(0, len(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


class Lazy(_Records[T]):
    """A sequence that is computed when it is first read."""

    __slots__ = ("_make", "_values")

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make = make
        self._values: Sequence[T] | None = None

    @property
    def values(self) -> Sequence[T]:
        """The computed sequence."""
        if self._values is None:
            self._values = self._make()
        return self._values

    def __len__(self) -> int:
        return len(self.values)

    def _records(self, first: int, stop: int) -> Iterator[T]:
        return iter(self.values[first:stop])


@dataclass(frozen=True, slots=True)
class MethodEnergy:
    """One method on one thread in one test.

    - `method`: the index in `Profile.method_table`.
    - `throws`: calls that ended with an exception.
    - `cut`: calls whose end was not recorded.
    - `inclusive_j`: counts recursion once.
    - `alternative_j`: inclusive energy by the alternative model.
    - `*_error_j`: standard errors by probes, by ticks and by stack samples. None if unknown.
    - `*_standard_j`: standard errors by all causes, apart from the power profile.
    - `raw_*`: includes the probes' energy. None if unknown.
    - `samples`: stack samples with the method as the innermost frame; None in a recording without samples. Sampled methods have
      no `calls`, and their times are CPU times.
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
    alternative_j: float | None = None
    inclusive_error_j: float | None = None
    exclusive_error_j: float | None = None
    raw_inclusive_j: float | None = None
    raw_exclusive_j: float | None = None
    components: tuple[float, ...] = ()
    """Splits `exclusive_j`."""
    inclusive_components: tuple[float, ...] = ()
    inclusive_standard_j: float = 0.0
    exclusive_standard_j: float = 0.0
    samples: int | None = None


class MethodRecords(_Records[MethodEnergy]):
    """The methods of one thread in one test. Records are created on each read, since recordings have millions of them.

    `read(first, stop)` returns the records first … stop - 1 as columns, in the order of the fields of `MethodEnergy`.
    """

    __slots__ = ("_read", "_size")

    def __init__(self, size: int, read: Callable[[int, int], Sequence[Sequence[Any]]]) -> None:
        self._size, self._read = size, read

    @classmethod
    def none(cls) -> MethodRecords:
        """Return an empty sequence."""
        return cls(0, lambda _first, _stop: ())

    def blocks(self) -> Iterator[Sequence[Sequence[Any]]]:
        """Yield the records' fields as columns, in blocks of bounded size."""
        return self._blocks(0, self._size)

    def _blocks(self, first: int, stop: int) -> Iterator[Sequence[Sequence[Any]]]:
        for begin in range(first, stop, BLOCK_ROWS):
            yield self._read(begin, min(begin + BLOCK_ROWS, stop))

    def _records(self, first: int, stop: int) -> Iterator[MethodEnergy]:
        rows = chain.from_iterable(zip(*columns, strict=True) for columns in self._blocks(first, stop))
        return starmap(MethodEnergy, rows)

    def __len__(self) -> int:
        return self._size


@dataclass(frozen=True, slots=True)
class Node:
    """A call-tree node. `parent` is -1 at a root, and parents precede children. `components` splits `exclusive_j`.

    `samples` are those with the node as the innermost frame; None in a recording without samples.
    """

    id: int
    parent: int
    method: int
    calls: int
    inclusive_j: float
    exclusive_j: float
    wall_ns: int
    components: tuple[float, ...] = ()
    inclusive_components: tuple[float, ...] = ()
    samples: int | None = None


class Nodes(_Records[Node]):
    """The nodes of one call tree. A `Node` is created when it is read.

    `columns` are the fields of `Node` after `id`, without components. `exclusive_by` and `inclusive_by` split the nodes' energies
    by component. Shape: nodes × components. `samples` is None without stack samples.
    """

    __slots__ = ("columns", "exclusive_by", "inclusive_by", "samples")

    def __init__(
        self, *columns: NDArray[np.number[Any]], exclusive_by: F64, inclusive_by: F64, samples: I64 | None = None
    ) -> None:
        self.columns, self.exclusive_by, self.inclusive_by, self.samples = columns, exclusive_by, inclusive_by, samples

    @classmethod
    def none(cls) -> Nodes:
        """Return a tree without nodes."""
        integers, floats, by = np.empty(0, np.int64), np.empty(0), np.empty((0, 1))
        return cls(integers, integers, integers, floats, floats, integers, exclusive_by=by, inclusive_by=by)

    def rows(self, at: slice = slice(None)) -> Iterator[tuple[Any, ...]]:
        """Yield the fields of each `Node` after `id`."""
        by = (map(tuple, values[at].tolist()) for values in (self.exclusive_by, self.inclusive_by))
        samples = [] if self.samples is None else [self.samples[at].tolist()]
        return zip(*(column[at].tolist() for column in self.columns), *by, *samples, strict=True)

    @property
    def counted(self) -> NDArray[np.number[Any]]:
        """Calls; in a recording with stack samples, samples."""
        return self.columns[2] if self.samples is None else self.samples

    @property
    def is_below_zero(self) -> bool:
        """Whether the self energy of a node is negative."""
        return bool((self.columns[4] < 0).any())

    def __len__(self) -> int:
        return len(self.columns[0])

    def _records(self, first: int, stop: int) -> Iterator[Node]:
        return (Node(number, *row) for number, row in enumerate(self.rows(slice(first, stop)), first))


class KnownFigures:
    """A record with figures of energy, and with `measured`."""

    __slots__ = ()
    if TYPE_CHECKING:

        @property
        def measured(self) -> bool: ...

    def known(self, figure: float | None) -> float | None:
        """Return a figure of the energy or CPU time, or None if nothing is known of it: it is 0, and not measured."""
        return figure if figure or self.measured else None


@dataclass(frozen=True, slots=True)
class ThreadEnergy(KnownFigures):
    """One thread in one test: Σ exclusive_j of methods + untraced_j + probes_j = energy_j.

    - `count`: above 1 for a group of short-lived threads, which has the common stem of their names.
    - `untraced_j`: energy outside probed methods.
    - `measured`: whether its CPU time is known. If not, it is 0 here, and so is the CPU's energy.
    """

    serial: int
    tid: int
    name: str
    role: str
    count: int
    energy_j: float
    cpu_ns: int
    untraced_j: float
    probes_j: float
    methods: MethodRecords = field(repr=False)
    nodes: Nodes = field(repr=False)
    components: tuple[float, ...] = ()
    lowest_method_j: float = 0.0
    """The lowest self or inclusive energy of its methods, at most 0."""
    measured: bool = True

    @property
    def label(self) -> str:
        """Its name, with the number of threads of a group."""
        return self.name if self.count == 1 else f"{self.name} ×{self.count}"

    @property
    def is_below_zero(self) -> bool:
        """Whether the energy outside probed methods, or the energy of a method, is negative."""
        return min(self.untraced_j, self.lowest_method_j) < -_ROUNDING * abs(self.energy_j)


@dataclass(frozen=True, slots=True)
class TestEnergy:
    """One run of one test: threads_total_j + other_processes_j + base_j + unattributed_j = energy_j.

    - `threads_j`: energy of the app's threads. It excludes threads of the profiler and of the JIT compiler, which do other work
      without probes.
    - `components`, `app_components`, `base_components`: `energy_j`, `app_j` and `base_j` by component.
    - `unprobed_j`, `unprobed_threads_j`: `energy_j` and `threads_j` of the baseline run. None without `--baseline`.
    - `alternative_j`: energy by the alternative model.
    - `unfit`: why the run does not count in statistics: `warmup`, `hot` (the phone was), `starved`.
    - `failure`: where and why the test failed, such as `SortTest.java:12: AssertionError: not sorted`. Empty if that is unknown.

    These are None if the cost of probes is unknown:

    - `probes_error_j`: the standard error of `probes_j`.
    - `sampled_probes_j`: the probes' energy by their sampled cost alone, without correction by baseline runs.
    - `whole_compensated_j`, `compensated_error_j`: compensated energy of the test, and its standard error.
    """

    __test__ = False

    id: int
    run: int
    module: str
    class_name: str
    method: str
    repeat: int
    status: str
    wall_ns: int
    energy_j: float
    threads_total_j: float
    threads_j: float
    other_processes_j: float
    base_j: float
    unattributed_j: float
    probes_j: float
    threads: Sequence[ThreadEnergy] = field(repr=False)
    rows: tuple[int, ...] = ()
    """Rows of `Ledger.tests`: one, or those of all tests that the record sums."""
    alternative_j: float | None = None
    unprobed_j: float | None = None
    unprobed_threads_j: float | None = None
    probes_error_j: float | None = None
    sampled_probes_j: float | None = None
    whole_compensated_j: float | None = None
    compensated_error_j: float | None = None
    components: tuple[float, ...] = ()
    unfit: tuple[str, ...] = ()
    app_components: tuple[float, ...] = ()
    base_components: tuple[float, ...] = ()
    failure: str = ""

    @property
    def compensated_j(self) -> float:
        """Estimated energy without probes. `energy_j` if the cost of probes is unknown."""
        return self.energy_j if self.whole_compensated_j is None else self.whole_compensated_j

    @property
    def app_j(self) -> float:
        """Energy of the app's threads, without probes."""
        return self.threads_j - self.probes_j

    @property
    def rest_j(self) -> float:
        """`compensated_j` minus `app_j`: base energy, JIT compiler, profiler, other processes, unattributed."""
        return self.compensated_j - self.app_j

    @property
    def mean_power_w(self) -> float | None:
        """Measured energy divided by wall time. None for a test that never ran."""
        return self.energy_j / (self.wall_ns / 1e9) if self.wall_ns > 0 else None


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all runs except baseline runs.

    threads_j + other_processes_j + base_j + unattributed_j = energy_j = Σ tests + outside_tests_j

    - `rails_j`: the energy that the device's rails measured.
    - `rails_estimate_j`: the estimate for the same time.
    - `repeats`: the number of repeats.
    """

    energy_j: float
    charge_mah: float
    threads_j: float
    other_processes_j: float
    base_j: float
    unattributed_j: float
    outside_tests_j: float
    rails_j: float | None = None
    rails_estimate_j: float | None = None
    components: tuple[float, ...] = ()
    repeats: int = 1

    @property
    def rails_error(self) -> float | None:
        """The relative error of the estimate against the rails. None without a measurement."""
        return self.rails_estimate_j / self.rails_j - 1 if self.rails_j and self.rails_estimate_j is not None else None

    @property
    def rails_disagree(self) -> bool:
        """Whether the rails and the estimate differ by 10 % or more."""
        return abs(self.rails_error or 0.0) >= _RAILS_LIMIT


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning about the result.

    - `code`: a `WarningCode`, or a code of a newer version of Navitas.
    - `run`: the id of the run that it is about. None means all runs.
    """

    code: str
    message: str
    remedy: str
    run: int | None = None

    @classmethod
    def with_code(cls, code: WarningCode, message: str, remedy: str) -> Notice:
        """Create a warning with a code that this version of Navitas defines."""
        return cls(code, message, remedy)

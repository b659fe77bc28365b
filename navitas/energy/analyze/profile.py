"""The result of analysis: a recording's ledger, and the figures that reports and scripts read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import IO, TYPE_CHECKING

import numpy as np

from navitas.base.errors import UsageError
from navitas.energy.analyze.cpu_use import CpuUse, CpuUses
from navitas.energy.analyze.energy_columns import path_columns
from navitas.energy.analyze.energy_tree import EnergyTree, energy_trees
from navitas.energy.analyze.handed_work import HandedWork, handed_work
from navitas.energy.analyze.ledger_tables import LedgerTables
from navitas.energy.analyze.method_bytes import MethodBytes, method_bytes
from navitas.energy.analyze.records import Notice, TestEnergy, ThreadEnergy, Totals
from navitas.energy.analyze.records_of_tests import by_class, records_of_tests
from navitas.energy.analyze.repeats import CompensatedTotals, Pace, Repeats, compensated_totals, group_repeats, repeat_pace
from navitas.energy.analyze.roll_up import (
    JitShare,
    MethodTotal,
    RoleTotal,
    ThreadTotal,
    jit_shares,
    method_totals,
    role_totals,
    thread_totals,
)
from navitas.energy.analyze.spread import Interval, MethodRepeats, interval_around, interval_of, method_repeats, repeat_totals
from navitas.energy.analyze.timeline import (
    ComponentTimelines,
    Timeline,
    component_timelines,
    longest_run_ns,
    round_step_ns,
    runs_with,
    thread_names,
)
from navitas.energy.analyze.top import Top, top
from navitas.energy.analyze.uncertainty import StandardError, Uncertainty
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy, merged_consumers
from navitas.energy.attribute.ledger import Evidence, Ledger, counted_runs, counted_wall_ns
from navitas.recording.parse.findings import ParsedLoss
from navitas.recording.parse.tables import MethodTable, RunTables
from navitas.recording.store import Recording

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_J_PER_MAH_AND_VOLT = 3.6
_STEPS = 40
"""The largest number of steps in timelines without a step length."""


@dataclass(frozen=True, slots=True)
class About:
    """What was recorded, how, and on which device."""

    project: str
    device: Mapping[str, object]
    settings: Mapping[str, object]
    power_profile: Mapping[str, object]
    battery_mah: float | None
    voltage_v: float
    created_utc: str = ""
    provenance: Mapping[str, object] = field(default_factory=dict)
    """The origin of the recording: `navitas_version` and, if known, `host`, `java`, `git` and `command_line`, as in the JSON
    report (docs/json-report.md)."""
    selected: tuple[str, ...] = ()
    """The patterns of the tests that the figures are about. Empty: all tests, and the energy outside of them."""


@dataclass(frozen=True, slots=True)
class RecordedTables:
    """A recording, and its runs' tables by id, without those of kernel traces.

    `traced` has the runs whose kernel trace was used. `pids` has the ids of the runs' processes, as far as they are known.
    """

    recording: Recording
    runs: Mapping[int, RunTables]
    traced: frozenset[int]
    pids: Mapping[int, int]


class Profile:
    """A recording's energy by test, thread, method, component and call path.

    `recorded` is None unless `AnalysisSettings.recorded` requested it.
    """

    ledger: Ledger
    about: About
    warnings: tuple[Notice, ...]
    losses: tuple[ParsedLoss, ...]
    recorded: RecordedTables | None = None

    def __init__(self, ledger: Ledger, about: About, warnings: Iterable[Notice] = (), losses: Iterable[ParsedLoss] = ()) -> None:
        """Create a profile. Warnings that follow from its figures (analyze/notices.py) are added later."""
        self.ledger = ledger
        self.about = about
        self.warnings = tuple(warnings)
        self.losses = tuple(losses)
        self.tables = LedgerTables(ledger)

    @property
    def project(self) -> str:
        """The project's name."""
        return self.about.project

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the components that the ledger covers."""
        return self.ledger.components

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence for each component's energy."""
        return self.ledger.evidence

    @property
    def method_table(self) -> MethodTable:
        """All methods of the recording. Records refer to methods by their index in this table."""
        return self.ledger.methods

    @cached_property
    def tick_ns(self) -> float | None:
        """The longest mean tick period of the runs. None if calls were not timed by ticks."""
        return max((run.tick_ns for run in self.ledger.runs if run.tick_ns is not None and not run.baseline), default=None)

    @property
    def samplers(self) -> tuple[str, ...]:
        """What took the stack samples of the runs, such as `ctimer`, where it is known."""
        return tuple(dict.fromkeys(run.sampler for run in self.ledger.runs if run.sampler))

    @property
    def is_sampled(self) -> bool:
        """Whether call paths are those of stack samples. If so, methods have samples instead of calls."""
        return self.ledger.calls.samples is not None

    @cached_property
    def tests(self) -> tuple[TestEnergy, ...]:
        """One record for each run of each test, sorted by run and id."""
        return records_of_tests(self.tables, self._cpu_uses)

    @cached_property
    def totals(self) -> Totals:
        """Sums over all runs except baseline runs."""
        ledger, energy = self.ledger, self.ledger.energy
        counted = counted_runs(ledger)
        in_total = counted[ledger.owners.run[energy.owner]]
        kind = ledger.owners.kind[energy.owner[in_total]]
        kinds = np.bincount(kind, energy.exclusive_j[in_total], len(OwnerKind)).tolist()
        by_component = ledger.run_energy_j[counted[:-1]].sum(axis=0)
        total_j = float(by_component.sum())
        rails = [(run.rails_j, run.rails_estimate_j) for run in ledger.runs if not run.baseline]
        read = [(rails_j, estimate_j) for rails_j, estimate_j in rails if rails_j is not None and estimate_j is not None]
        return Totals(
            energy_j=total_j,
            charge_mah=total_j / (self.about.voltage_v * _J_PER_MAH_AND_VOLT),
            threads_j=kinds[OwnerKind.THREAD],
            other_processes_j=kinds[OwnerKind.OTHER_PROCESSES],
            base_j=kinds[OwnerKind.BASE],
            unattributed_j=kinds[OwnerKind.UNATTRIBUTED],
            outside_tests_j=total_j - float(self.tables.tests_by_kind[~self.tables.is_baseline].sum()),
            rails_j=sum(rails_j for rails_j, _ in read) if read else None,
            rails_estimate_j=sum(estimate_j for _, estimate_j in read) if read else None,
            components=tuple(by_component.tolist()),
            repeats=int(ledger.tests.repeat[~self.tables.is_baseline].max(initial=0)) + 1,
        )

    @cached_property
    def consumers(self) -> tuple[ConsumerEnergy, ...]:
        """What the device's own power statistics attribute to components, over all runs except baseline runs."""
        return merged_consumers([run.consumers for run in self.ledger.runs if not run.baseline])

    @property
    def is_by_class(self) -> bool:
        """Whether `--granularity class` was set. If so, reports show `classes()` instead of `repeats()`."""
        return self.about.settings.get("granularity") == "class"

    @cached_property
    def tests_by_class(self) -> tuple[TestEnergy, ...]:
        """One record for each run of each test class: sums over its tests, without methods and call trees."""
        return by_class(self.tests)

    def energy_j(self, tests: Iterable[TestEnergy] | None = None) -> float:
        """Return the energy of the given tests (default: all)."""
        return sum(test.energy_j for test in (self.tests if tests is None else tests))

    def compensated_totals(self, tests: Iterable[TestEnergy] | None = None) -> CompensatedTotals | None:
        """Return the energy of the given tests (default: all) with and without probes, or None without probe energy."""
        return compensated_totals(self.tests if tests is None else tests)

    def method_totals(self, tests: Iterable[TestEnergy] | None = None) -> tuple[MethodTotal, ...]:
        """Return sums by method over the given tests (default: all), largest self energy first."""
        return method_totals(self.tables, tests)

    @property
    def uncertainty(self) -> Uncertainty:
        """Computes the standard errors of figures."""
        return self.tables.uncertainty

    def test_error(self, test: TestEnergy) -> StandardError:
        """Return the standard error of a test's `energy_j`."""
        return self.uncertainty.of("total", test.components, test.wall_ns, parts=len(test.rows))

    def app_error(self, test: TestEnergy) -> StandardError:
        """Return the standard error of a test's `app_j`, whose components are those of its app's threads."""
        components_j = self.tables.app_j[list(test.rows)].sum(axis=0).tolist()
        return self.uncertainty.of("app", components_j, test.wall_ns, parts=len(test.rows), probes_j=test.probes_error_j)

    def app_interval(self, group: Repeats) -> Interval:
        """Return the 95 % interval of a test's `app_j` in joules, by the measurement and by the spread of its runs."""
        error = self.app_error(group.typical)
        return interval_around(group.app_j.median, [group.app_j], alone=error.half_width_j, shared=error.shared_j)

    def thread_error(self, test: TestEnergy, thread: ThreadEnergy) -> StandardError:
        """Return the standard error of a thread's `energy_j` in a test."""
        return self.uncertainty.of("thread", thread.components, test.wall_ns, parts=len(test.rows))

    def total_error(self) -> StandardError:
        """Return the standard error of the total."""
        runs = int(counted_runs(self.ledger).sum())
        return self.uncertainty.of("total", self.totals.components, counted_wall_ns(self.ledger), parts=runs)

    def method_bytes(self) -> tuple[MethodBytes, ...]:
        """Return the bytes of each method on each radio and on the storage, most bytes first."""
        return self._method_bytes

    @cached_property
    def _method_bytes(self) -> tuple[MethodBytes, ...]:
        return method_bytes(self.ledger)

    def handed_work(self) -> tuple[HandedWork, ...]:
        """Return the work that each method handed to other threads, largest energy first."""
        return self._handed_work

    @cached_property
    def _handed_work(self) -> tuple[HandedWork, ...]:
        return handed_work(self.ledger)

    def thread_totals(self, tests: Iterable[TestEnergy] | None = None) -> tuple[ThreadTotal, ...]:
        """Return sums by thread name and role over the given tests (default: all), largest energy first."""
        return thread_totals(self.tables, tests)

    def role_totals(self, tests: Iterable[TestEnergy] | None = None) -> tuple[RoleTotal, ...]:
        """Return sums by thread role over the given tests (default: all), largest energy first."""
        return role_totals(self.tables, tests)

    def method_repeats(self) -> tuple[MethodRepeats, ...]:
        """Return sums by method over all tests, with a value for each repeat, largest self energy first."""
        return self._method_repeats

    @cached_property
    def _method_repeats(self) -> tuple[MethodRepeats, ...]:
        return method_repeats(self.tables, self.tests)

    def repeats(self) -> tuple[Repeats, ...]:
        """Return each test with all its runs and their median, in the order of the first runs."""
        return self._repeats

    @cached_property
    def _repeats(self) -> tuple[Repeats, ...]:
        return group_repeats(self.tests)

    def repeat_interval(self) -> Interval | None:
        """Return the 95 % interval of the sum of all tests, over the repeats that count. None for fewer than two."""
        return interval_of(list(repeat_totals(self.tests).values()))

    def jit_shares(self) -> tuple[JitShare, ...]:
        """Return the JIT compiler's share of the threads' energy in each repeat."""
        return jit_shares(self.tables)

    def classes(self) -> tuple[Repeats, ...]:
        """Return each test class with all its runs and their median. Energies are sums over its tests; `method` is `*`."""
        return group_repeats(self.tests_by_class)

    def cpu_use(self, test: TestEnergy) -> CpuUse:
        """Return the CPU time of a test, and the time that it waited for a CPU."""
        return self._cpu_uses.of_test(test)

    def pace(self, repeats: Repeats) -> Pace:
        """Return the CPU time and the calls of a test in each repeat."""
        return repeat_pace(repeats, self._cpu_uses)

    @cached_property
    def _cpu_uses(self) -> CpuUses:
        return CpuUses(self.ledger)

    def timeline(
        self, component: str | None = None, *, run: int | None = None, step_ns: int = 100_000_000, thread: str | None = None
    ) -> Timeline:
        """Return the energy of one run in steps of equal length.

        Args:
            component: None sums over all components.
            run: The id of the run. None selects the first run.
            step_ns: The length of a step.
            thread: The name of threads. None selects all owners.
        """
        components = None if component is None else [component]
        return self.timelines(components, run=run, step_ns=step_ns, thread=thread).total()

    def top(self) -> Top:
        """Return the energy by component, and by app, other processes and base, over all runs without baseline runs."""
        return self._top

    @cached_property
    def _top(self) -> Top:
        return top(self.ledger)

    def timelines(
        self,
        components: Iterable[str] | None = None,
        *,
        run: int | None = None,
        step_ns: int | None = None,
        thread: str | None = None,
    ) -> ComponentTimelines:
        """Return the energy of one run in steps of equal length, by component.

        Args:
            components: Names of components. None selects all.
            run: The id of the run. None selects the first run.
            step_ns: The length of a step. None selects a round one that splits the longest run into at most 40 steps.
            thread: The name of threads. None selects all owners.
        """
        step_ns = round_step_ns(longest_run_ns(self.ledger), _STEPS) if step_ns is None else step_ns
        names = None if components is None else tuple(components)
        return component_timelines(self.ledger, names, run=run, step_ns=step_ns, thread=thread)

    def timelines_by_run(
        self, components: Iterable[str] | None = None, *, step_ns: int | None = None, thread: str | None = None
    ) -> tuple[ComponentTimelines, ...]:
        """Return the timelines of each run that has the thread, without baseline runs. Arguments are those of `timelines`."""
        names = None if components is None else tuple(components)
        return tuple(self.timelines(names, run=run, step_ns=step_ns, thread=thread) for run in runs_with(self.ledger, thread))

    @cached_property
    def thread_names(self) -> tuple[str, ...]:
        """The names of all threads and groups of threads, sorted."""
        return tuple(sorted(thread_names(self.ledger)))

    def energy_trees(self, component: str | None = None) -> tuple[EnergyTree, ...]:
        """Return the call trees of all threads by name and role over all tests, largest energy first.

        With a component, trees have only its energy, and the calls that used it.
        """
        if component is not None and component not in self.components:
            raise UsageError(f"no component {component!r} in this recording", f"known are {', '.join(self.components)}")
        return energy_trees(self.ledger, component)

    def to_arrow(self) -> pa.Table:
        """Return all energy facts as an Arrow table (see `navitas.energy.analyze.energy_columns`). Needs pyarrow."""
        from navitas.energy.analyze.arrow import arrow_table  # noqa: PLC0415

        return arrow_table(path_columns(self.ledger))

    def to_pandas(self) -> pd.DataFrame:
        """Return all energy facts as a pandas data frame. Needs pyarrow and pandas."""
        return self.to_arrow().to_pandas()

    def write_parquet(self, path: str | PathLike[str] | IO[bytes]) -> None:
        """Write all energy facts as Parquet to a file or binary stream. Needs pyarrow.

        A file is replaced atomically. If writing fails, the old file stays. Raises `OSError`.
        """
        from navitas.energy.analyze.arrow import write_parquet  # noqa: PLC0415

        write_parquet(self.to_arrow(), path)

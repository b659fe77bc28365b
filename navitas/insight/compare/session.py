"""The figures of one session: the runs of one recording, from its JSON report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from navitas.insight.compare.source_place import SourcePlace
from navitas.insight.compare.subject import ALL_TESTS, Energy, Kind, Subject

Joules = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class TestRun:
    """Joules of one run of a test: of each energy by component, of the app's threads by name, and of methods without callees.

    Reports and histories of older versions have only the energy `total`. `unknown` are threads and methods whose energy is not
    known, or only a part of it.
    """

    __test__ = False  # for pytest

    energies: dict[Energy, dict[str, float]]
    threads: dict[str, float]
    methods: dict[str, float]
    unknown: frozenset[Subject] = frozenset()
    inclusive: dict[str, float] | None = None
    """Joules of methods with callees. None if they were not kept, as in a history."""
    calls: dict[str, int] | None = None
    """Calls of methods. None if they were not kept."""
    wall_s: float | None = None
    """How long the test ran. None if that was not kept."""
    operations: int | None = None
    """How many operations of a census ran. None without a census."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What was measured: the project, its git revision (empty if unknown; `dirty`: with changes), and how.

    `settings` is a digest of the recording's options, `navitas_version` the version that recorded.
    """

    project: str = ""
    revision: str = ""
    dirty: bool | None = None
    settings: str = ""
    navitas_version: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """The runs of one recording. `tests` has those that passed, by test and repeat, of `repeats` that count.

    `conditions` can differ with a warning only: evidence, project, settings, system.
    """

    name: str
    created_utc: str
    device: str
    power_profile: str
    conditions: dict[str, str]
    repeats: tuple[int, ...]
    tests: dict[str, dict[int, TestRun]]
    not_passed: frozenset[str]
    session: str = ""
    """The same for versions that ran in turns; empty if there was one version."""
    is_fit: bool = True
    """Whether the repeats that count are fit. Otherwise the device was busy or hot in all repeats."""
    origin: Origin = Origin()
    failed: frozenset[str] = frozenset()
    """The tests that failed in some run."""
    places: Mapping[str, SourcePlace] = field(default_factory=dict)
    """Where methods begin in the source code, by the name of the method without its descriptor, as far as known."""
    warnings: tuple[tuple[str, str], ...] = ()
    """The codes and messages of the report's warnings. A history does not keep them."""
    busy: Mapping[int, Mapping[str, TestRun]] = field(default_factory=dict)
    """By repeat, the runs of `tests` that do not count because the device was busy or hot. A history does not keep them."""

    def with_busy_runs(self) -> Session:
        """Return the session with its busy runs, which are as good as others for what does not depend on time."""
        tests = {
            test: {**runs, **{repeat: busy[test] for repeat, busy in self.busy.items()}} for test, runs in self.tests.items()
        }
        return replace(self, repeats=(*self.repeats, *self.busy), tests=tests, busy={})

    @property
    def unknown(self) -> frozenset[Subject]:
        """Threads and methods without energy in any run, because a thread's CPU time is unknown."""
        return frozenset[Subject]().union(*(run.unknown for runs in self.tests.values() for run in runs.values()))

    @property
    def choice(self) -> str:
        """Which tests were chosen, by the options that the recording keeps."""
        chosen = ((name, self.conditions.get(f"setting {name}")) for name in ("tests", "module"))
        return ", ".join(f"--{name} {value}" for name, value in chosen if value) or "all tests"

    def has(self, energy: Energy) -> bool:
        """Whether all runs have this energy."""
        return all(energy in run.energies for runs in self.tests.values() for run in runs.values())

    def joules(self, tests: Iterable[str]) -> dict[Subject, np.ndarray]:
        """Return the figures of some tests, which passed in all repeats: an array by repeat each."""
        places = {repeat: place for place, repeat in enumerate(self.repeats)}
        sums: dict[tuple[Kind, Energy | Literal[""]], dict[str, list[float]]] = defaultdict(
            lambda: defaultdict(lambda: [0.0] * len(places))
        )
        for test in tests:
            for repeat, run in self.tests[test].items():
                place = places[repeat]
                for energy, components in run.energies.items():
                    whole, of_test, by_component = (
                        sums["all", energy][ALL_TESTS],
                        sums["test", energy][test],
                        sums["component", energy],
                    )
                    for name, energy_j in components.items():
                        whole[place] += energy_j
                        of_test[place] += energy_j
                        by_component[name][place] += energy_j
                threads, methods = sums["thread", ""], sums["method", ""]
                for name, energy_j in run.threads.items():
                    threads[name][place] += energy_j
                for name, energy_j in run.methods.items():
                    methods[name][place] += energy_j
        subjects = [Subject(kind, name, energy) for (kind, energy), by_name in sums.items() for name in by_name]
        rows = np.array([row for by_name in sums.values() for row in by_name.values()])
        return dict(zip(subjects, rows, strict=True))


def in_shared_sessions(before: Sequence[Session], after: Sequence[Session]) -> list[Session] | None:
    """Return the sessions after in the order of those before, if the versions ran in turns in the same sessions."""
    by_id = {session.session: session for session in after}
    ids = [session.session for session in before]
    is_shared = all(ids) and len(set(ids)) == len(ids) == len(after) and by_id.keys() == set(ids)
    return [by_id[session_id] for session_id in ids] if is_shared else None


def recorded_conditions(
    levels: Mapping[str, str], time: str, settings: Mapping[str, object], project: str, system: str
) -> dict[str, str]:
    """Return what else than code can change a recording's energy, by name.

    `levels` are the levels of evidence by component, and `time` is the evidence of the times of calls.
    """
    conditions = {f"evidence of {component}": level for component, level in levels.items()}
    conditions |= {f"setting {name}": str(value) for name, value in settings.items() if name not in SCHEDULE}
    return conditions | {"evidence of time": time, "project": project, "system": system}


SCHEDULE = ("repeat", "warmup", "until_percent", "max_repeat", "seed", "session")
"""Settings of how often and in which order tests run."""


def qualified_name(module: str, name: str) -> str:
    """Return the name of a test or method with its Gradle module, except in the root project."""
    return name if module in ("", ":") else f"{module}:{name}"

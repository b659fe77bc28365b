"""Tests of one class as one: what `--granularity class` shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum

from navitas.attribute.result import Analysis, TestEnergy, ThreadEnergy

_WORST_FIRST = ("cut", "failed", "passed", "assumption", "ignored")


def is_by_class(analysis: Analysis) -> bool:
    """Whether the recording was asked for classes."""
    return analysis.settings.get("granularity") == "class"


def by_class(tests: Sequence[TestEnergy]) -> tuple[TestEnergy, ...]:
    """One entry for each run of each test class, with the sums over its tests and `*` for a method."""
    groups: dict[tuple[int, str, str], list[TestEnergy]] = {}
    for test in tests:
        groups.setdefault((test.run, test.module, test.class_name), []).append(test)
    return tuple(_joined(group) for group in groups.values())


def _joined(tests: list[TestEnergy]) -> TestEnergy:
    paper1 = [test.paper1_j for test in tests if test.paper1_j is not None]
    return replace(
        tests[0],
        method="*",
        status=min((test.status for test in tests), key=_WORST_FIRST.index),
        wall_ns=sum(test.wall_ns for test in tests),
        energy_j=fsum(test.energy_j for test in tests),
        other_processes_j=fsum(test.other_processes_j for test in tests),
        idle_j=fsum(test.idle_j for test in tests),
        unattributed_j=fsum(test.unattributed_j for test in tests),
        threads=_threads(tests),
        paper1_j=fsum(paper1) if paper1 else None,
    )


def _threads(tests: Sequence[TestEnergy]) -> tuple[ThreadEnergy, ...]:
    """Each thread once, largest first; without methods, which whole tests do not have."""
    groups: dict[tuple[int, int, str, str], list[ThreadEnergy]] = {}
    for thread in (thread for test in tests for thread in test.threads):
        groups.setdefault((thread.serial, thread.tid, thread.name, thread.role), []).append(thread)
    joined = [
        replace(
            group[0],
            count=max(thread.count for thread in group),
            energy_j=fsum(thread.energy_j for thread in group),
            cpu_ns=sum(thread.cpu_ns for thread in group),
            untraced_j=fsum(thread.untraced_j for thread in group),
            probes_j=fsum(thread.probes_j for thread in group),
            methods=(),
            nodes=(),
        )
        for group in groups.values()
    ]
    return tuple(sorted(joined, key=lambda thread: -thread.energy_j))

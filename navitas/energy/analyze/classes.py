"""The tests of each class merged into one record, for `--granularity class`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum

from navitas.energy.analyze.records import MethodRecords, Nodes, TestEnergy, ThreadEnergy

_WORST_FIRST = ("cut", "failed", "passed", "assumption", "ignored")


def by_class(tests: Iterable[TestEnergy]) -> tuple[TestEnergy, ...]:
    """Return one record for each run of each test class: sums over its tests. Its `method` is `*`."""
    groups: dict[tuple[int, str, str], list[TestEnergy]] = {}
    for test in tests:
        groups.setdefault((test.run, test.module, test.class_name), []).append(test)
    return tuple(_merged(group) for group in groups.values())


def _merged(tests: list[TestEnergy]) -> TestEnergy:
    alternative = [test.alternative_j for test in tests if test.alternative_j is not None]
    return replace(
        tests[0],
        method="*",
        status=min((test.status for test in tests), key=_rank),
        wall_ns=sum(test.wall_ns for test in tests),
        energy_j=fsum(test.energy_j for test in tests),
        threads_total_j=fsum(test.threads_total_j for test in tests),
        threads_j=fsum(test.threads_j for test in tests),
        other_processes_j=fsum(test.other_processes_j for test in tests),
        base_j=fsum(test.base_j for test in tests),
        unattributed_j=fsum(test.unattributed_j for test in tests),
        probes_j=fsum(test.probes_j for test in tests),
        threads=_threads(tests),
        rows=tuple(row for test in tests for row in test.rows),
        alternative_j=fsum(alternative) if alternative else None,
        unprobed_j=_sum_known([test.unprobed_j for test in tests]),
        unprobed_threads_j=_sum_known([test.unprobed_threads_j for test in tests]),
        probes_error_j=_sum_known([test.probes_error_j for test in tests]),
        sampled_probes_j=_sum_known([test.sampled_probes_j for test in tests]),
        whole_compensated_j=_sum_known([test.whole_compensated_j for test in tests]),
        compensated_error_j=_sum_known([test.compensated_error_j for test in tests]),
        components=_sum_components([test.components for test in tests]),
        app_components=_sum_components([test.app_components for test in tests]),
        base_components=_sum_components([test.base_components for test in tests]),
        unfit=tuple(dict.fromkeys(reason for test in tests for reason in test.unfit)),
    )


def _rank(status: str) -> int:
    """Return the rank of a status, worst first. An unknown status ranks as `cut`."""
    return _WORST_FIRST.index(status) if status in _WORST_FIRST else 0


def _threads(tests: Sequence[TestEnergy]) -> tuple[ThreadEnergy, ...]:
    """Return each thread once, largest energy first, without methods and call trees."""
    groups: dict[tuple[int, int, str, str], list[ThreadEnergy]] = {}
    for thread in (thread for test in tests for thread in test.threads):
        groups.setdefault((thread.serial, thread.tid, thread.name, thread.role), []).append(thread)
    merged = [
        replace(
            group[0],
            count=max(thread.count for thread in group),
            energy_j=fsum(thread.energy_j for thread in group),
            cpu_ns=sum(thread.cpu_ns for thread in group),
            untraced_j=fsum(thread.untraced_j for thread in group),
            probes_j=fsum(thread.probes_j for thread in group),
            methods=MethodRecords.none(),
            nodes=Nodes.none(),
            lowest_method_j=0.0,
            components=_sum_components([thread.components for thread in group]),
        )
        for group in groups.values()
    ]
    return tuple(sorted(merged, key=lambda thread: -thread.energy_j))


def _sum_known(figures: Sequence[float | None]) -> float | None:
    """Return the sum, or None if a figure is unknown.

    Standard errors are also summed: within a run they have the same cause, the sampled cost of probes.
    """
    known = [figure for figure in figures if figure is not None]
    return fsum(known) if len(known) == len(figures) else None


def _sum_components(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(map(fsum, zip(*rows, strict=True)))

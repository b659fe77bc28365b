"""Warnings where probes were a large part of what was measured, and which of them to leave out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from navitas.attribute.result import Notice, TestEnergy
from navitas.parse.tables import MethodTable, ProbeCost

_LARGE = 0.2
_LEAST = 0.01
"""Methods of less of the threads' energy are not named."""
_NAMED = 5


@dataclass(slots=True)
class _Sums:
    raw_j: float = 0.0
    without_j: float = 0.0
    own_probes_j: float = 0.0
    """Of its own calls, on either side."""


def probe_notices(tests: Sequence[TestEnergy], costs: Mapping[int, ProbeCost | None], methods: MethodTable) -> Iterator[Notice]:
    """At most one warning; `costs` are those of the runs."""
    sums: defaultdict[tuple[str, str], _Sums] = defaultdict(_Sums)
    for test in tests:
        cost = costs.get(test.run)
        if cost is not None:
            _add(sums, test, cost.events.inside_ns + cost.events.outside_ns, methods)
    least_j = _LEAST * fsum(thread.energy_j for test in tests for thread in test.threads)
    ranked = sorted(sums.items(), key=lambda item: -item[1].raw_j)
    large = [(name, each) for name, each in ranked if each.raw_j >= least_j and each.raw_j - each.without_j > _LARGE * each.raw_j]
    dominated = [name for name, each in ranked if each.own_probes_j >= max(least_j, each.without_j) and each.own_probes_j > 0]
    if not large and not dominated:
        return
    named = [f"{owner}.{name} ({1 - each.without_j / each.raw_j:.0%})" for (owner, name), each in large[:_NAMED]]
    more = f" and {len(large) - _NAMED} more" if len(large) > _NAMED else ""
    message = f"probes were more than 20 % of {', '.join(named)}{more}; their energy is taken off" if large else ""
    if dominated:
        options = " ".join(f"--exclude '{owner}#{name}'" for owner, name in dominated[:_NAMED])
        shown = ", ".join(f"{owner}.{name}" for owner, name in dominated[:_NAMED])
        message = message or f"probes used more than the methods themselves: {shown}; their energy is taken off"
        remedy = f"To leave out the methods that dominate: navitas profile {options}"
    else:
        remedy = "Calls cost less with --mode tick, and nothing with --granularity test."
    if not any(test.unprobed_j for test in tests):
        remedy = f"To correct the figures by runs without probes, add --baseline. {remedy}"
    yield Notice("probes_large", message, remedy)


def _add(sums: defaultdict[tuple[str, str], _Sums], test: TestEnergy, call_ns: float, methods: MethodTable) -> None:
    for thread in test.threads:
        call_j = call_ns * thread.energy_j / thread.cpu_ns if thread.cpu_ns else 0.0
        for energy in thread.methods:
            method = methods.methods[energy.method]
            each = sums[method.class_name, method.name]
            each.raw_j += energy.exclusive_j if energy.raw_exclusive_j is None else energy.raw_exclusive_j
            each.without_j += energy.exclusive_j
            each.own_probes_j += energy.calls * call_j

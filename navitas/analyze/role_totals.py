"""Threads of one role as one: the app's, and the runtime's around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from navitas.analyze.records import TestEnergy, ThreadEnergy


@dataclass(frozen=True, slots=True)
class RoleTotal:
    """All threads of one role over some tests; `count` is how many there were, summed over the tests."""

    role: str
    count: int
    energy_j: float
    cpu_ns: int
    untraced_j: float
    probes_j: float
    components: tuple[float, ...]

    @property
    def cpu_power_w(self) -> float | None:
        """Energy by CPU time; None where no CPU time is known."""
        return self.energy_j / (self.cpu_ns / 1e9) if self.cpu_ns > 0 else None


def role_totals(tests: Iterable[TestEnergy]) -> tuple[RoleTotal, ...]:
    """Each role of threads once over the given tests, largest energy first."""
    by_role: dict[str, list[ThreadEnergy]] = {}
    for test in tests:
        for thread in test.threads:
            by_role.setdefault(thread.role, []).append(thread)
    found = [_total(role, threads) for role, threads in by_role.items()]
    return tuple(sorted(found, key=lambda each: -each.energy_j))


def _total(role: str, threads: list[ThreadEnergy]) -> RoleTotal:
    return RoleTotal(
        role=role,
        count=sum(thread.count for thread in threads),
        energy_j=sum(thread.energy_j for thread in threads),
        cpu_ns=sum(thread.cpu_ns for thread in threads),
        untraced_j=sum(thread.untraced_j for thread in threads),
        probes_j=sum(thread.probes_j for thread in threads),
        components=tuple(map(sum, zip(*(thread.components for thread in threads), strict=True))),
    )

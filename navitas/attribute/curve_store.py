"""The cumulative energy curves of all owners, kept as attribution made them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from navitas.attribute.component import ComponentCurves
from navitas.attribute.curves import NOTHING, Curve


class CurveStore:
    """E(t) by owner and component. Owners are numbered run by run: threads, groups of threads, then all others."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._runs: list[tuple[int, int, Sequence[ComponentCurves | None]]] = []

    def add(self, first_owner: int, threads: int, groups: int, components: Sequence[ComponentCurves | None]) -> None:
        """Keep a run's curves; its owners follow those of the run before."""
        self._first.append(first_owner)
        self._runs.append((threads, groups, components))

    def curve(self, owner: int, component: int) -> Curve:
        """Cumulative joules of an owner. A group of threads has no curve: its threads have theirs."""
        run = bisect_right(self._first, owner) - 1
        threads, groups, components = self._runs[run]
        number, curves = owner - self._first[run], components[component]
        if curves is None:
            return NOTHING
        if number < threads:
            if curves.threads is None:
                return NOTHING
            knots = curves.threads.knots
            own = slice(*knots.start[number : number + 2].tolist())
            return Curve(knots.t_ns[own], curves.threads.energy_j[own])
        beside = number - threads - groups
        return NOTHING if beside < 0 else curves.beside_threads[beside]

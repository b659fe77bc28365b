"""The cumulative energy curves of all owners."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from navitas.attribute.component import ComponentCurves
from navitas.attribute.curves import EMPTY_CURVE, Curve


class CurveStore:
    """E(t) by owner and component. Owners are numbered run by run: threads, groups of threads, then `NON_THREAD_OWNERS`."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._runs: list[tuple[int, int, Sequence[ComponentCurves | None]]] = []

    def add(self, first_owner: int, threads: int, groups: int, components: Sequence[ComponentCurves | None]) -> None:
        """Add a run's curves; its owners follow those of the previous run."""
        self._first.append(first_owner)
        self._runs.append((threads, groups, components))

    def curve(self, owner: int, component: int) -> Curve:
        """Cumulative joules of an owner. A group of threads has an empty curve, since each of its threads has a curve.

        A charge counts at the time of the call that caused it. For the time at which energy flowed, see `flow`.
        """
        run = bisect_right(self._first, owner) - 1
        threads, groups, components = self._runs[run]
        number, curves = owner - self._first[run], components[component]
        if curves is None:
            return EMPTY_CURVE
        if number < threads:
            own = EMPTY_CURVE
            if curves.threads is not None:
                knots = curves.threads.knots
                section = slice(*knots.start[number : number + 2].tolist())
                own = Curve(knots.t_ns[section], curves.threads.energy_j[section])
            return curves.charges.added_to(own, number)
        non_thread = number - threads - groups
        return EMPTY_CURVE if non_thread < 0 else curves.non_threads[non_thread]

    def flow(self, owner: int, component: int) -> Curve | None:
        """Cumulative joules of all owners of the run that an owner belongs to, over true time; None without charges."""
        curves = self._runs[bisect_right(self._first, owner) - 1][2][component]
        return None if curves is None else curves.flow

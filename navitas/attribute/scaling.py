"""Scale components to what power rails measured: one ratio for each rail and run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from navitas.attribute.component import Component, ComponentCurves, RailUse, run_energy_j
from navitas.attribute.curves import Curve, added, distinct
from navitas.attribute.shared_rails import rail_groups
from navitas.parse.reasons import Reason
from navitas.parse.tables import RunTables

RAILS = "rails"
"""The name of the level of evidence of a component that is scaled to rails."""
NO_USE = Reason("no_use_recorded", "nothing in the recording shows what used it: only its rail is known")
_FAR = 5.0


def rail_curve(run: RunTables, component: Component) -> Curve | None:
    """The cumulative joules that a component's rails measured in a run, as far as readings cover it.

    None without rails, with fewer than two readings, or if the use of components was not recorded (older recordings).
    """
    if run.rails is None or not run.has_components:
        return None
    return measured_curve(run, [name for name in run.rails.names if component.rail_use(name) is RailUse.TOTAL])


def measured_curve(run: RunTables, names: Collection[str]) -> Curve | None:
    """The cumulative joules that rails of these names measured in a run. None without them, or with fewer than two readings."""
    rails, start_ns, end_ns = run.rails, run.start_ns, run.end_ns
    if rails is None:
        return None
    own = [place for place, name in enumerate(rails.names) if name in names]
    if not own or not len(rails.t_ns):
        return None
    t_ns, first = np.unique(rails.t_ns, return_index=True)
    read = Curve(t_ns, np.maximum.accumulate(rails.energy_j[first][:, own].sum(axis=1)))
    # Readings before and after the run give the energy at its edges.
    edges = [edge for edge in (start_ns, end_ns) if t_ns[0] <= edge <= t_ns[-1]]
    knots = distinct(np.concatenate([t_ns[(t_ns >= start_ns) & (t_ns <= end_ns)], np.array(edges, np.int64)]))
    if len(knots) < 2:
        return None
    joules = read.at(knots)
    return Curve(knots, joules - joules[0])


def scaled_to_rails(
    run: RunTables, components: Sequence[Component], curves: Sequence[ComponentCurves | None], *, use_rails: bool
) -> list[ComponentCurves | None]:
    """Scale the components of a run that have a rail. Without `use_rails`, only add what the rails measured.

    Components that share a rail, such as Wi-Fi and Bluetooth, share its ratio. Components that are based on their rail already
    (level *rails*) stay as they are. If the estimate is 0, the rail's lowest power is base, and the rest is unattributed.
    """
    found = list(curves)
    names = run.rails.names if run.rails is not None and run.has_components else ()
    for group in rail_groups(names, components, {RailUse.TOTAL}):
        members = group.members
        known = [place for place in members if (one := curves[place]) is not None and one.level != RAILS]
        measured = measured_curve(run, group.rails)
        if measured is None:
            continue
        if not known:
            if use_rails and all(curves[place] is None for place in members):
                found[members[0]] = measured_only(measured)
            continue
        first_ns, last_ns = int(measured.t_ns[0]), int(measured.t_ns[-1])
        estimates = {place: one.during(first_ns, last_ns) for place in known if (one := curves[place]) is not None}
        modeled = {place: _modeled_j(one, first_ns, last_ns) for place in known if (one := curves[place]) is not None}
        estimate_j, rail_j = sum(estimates.values()), float(measured.value[-1])
        ratio = rail_j / sum(modeled.values()) if sum(modeled.values()) > 0 else 1.0
        for place, own_j in estimates.items():
            one = curves[place]
            assert one is not None
            share = own_j / estimate_j if estimate_j > 0 else float(place == known[0])
            own_rail = Curve(measured.t_ns, measured.value * share)
            if not use_rails:
                found[place] = replace(one, rails_j=float(own_rail.value[-1]), unscaled_j=modeled[place])
            elif estimate_j > 0:
                scaled = _scaled(one, rail_j / estimate_j, own_rail, (run.start_ns, run.end_ns))
                reasons = one.reasons if 1 / _FAR <= ratio <= _FAR else (*one.reasons, _far_off(ratio))
                found[place] = replace(scaled, reasons=reasons, unscaled_j=modeled[place])
            else:
                found[place] = replace(_with_rest(one, own_rail), unscaled_j=modeled[place])
    return found


def _with_rest(one: ComponentCurves, rail: Curve) -> ComponentCurves:
    """Add what the rail measured while the model estimates nothing: its lowest power is base, the rest is unattributed."""
    flow = None if one.flow is None else added([one.flow, rail])
    alone = measured_only(rail)
    base, rest = added([one.base, alone.base]), added([one.unattributed, alone.unattributed])
    return replace(one, level=RAILS, base=base, unattributed=rest, flow=flow, rails_j=alone.rails_j)


def measured_only(rail: Curve) -> ComponentCurves:
    """A component of which only the rail is known: its lowest power is base, the rest is unattributed."""
    base = floor_of(rail)
    rest = Curve(rail.t_ns, rail.value - base.value)
    return ComponentCurves(RAILS, (NO_USE,), base=base, unattributed=rest, rails_j=float(rail.value[-1]), unscaled_j=0.0)


def floor_of(rail: Curve) -> Curve:
    """The energy of the lowest power between two readings of a rail, as if it were drawn all the time."""
    lowest = float((np.diff(rail.value) / np.diff(rail.t_ns)).min())
    return Curve(rail.t_ns, np.minimum(lowest * (rail.t_ns - rail.t_ns[0]), rail.value))


def _modeled_j(one: ComponentCurves, first_ns: int, last_ns: int) -> float:
    return one.during(first_ns, last_ns) if one.unscaled is None else one.unscaled.between(first_ns, last_ns)


def _scaled(one: ComponentCurves, ratio: float, rail: Curve, run_ns: tuple[int, int]) -> ComponentCurves:
    """All energies times the ratio. Between the rails' readings, energy flowed as the rail measured it."""

    def times(curve: Curve) -> Curve:
        return Curve(curve.t_ns, curve.value * ratio)

    threads = None if one.threads is None else replace(one.threads, energy_j=one.threads.energy_j * ratio)
    scaled = replace(
        one,
        level=RAILS,
        threads=threads,
        other_processes=times(one.other_processes),
        base=times(one.base),
        unattributed=times(one.unattributed),
        charges=one.charges.scaled(ratio),
        rails_j=float(rail.value[-1]),
    )
    if one.flow is None:
        return scaled
    return replace(scaled, flow=_measured_flow(times(one.flow), rail, run_energy_j(scaled, *run_ns), run_ns))


def _measured_flow(model: Curve, rail: Curve, total_j: float, run_ns: tuple[int, int]) -> Curve:
    """The model's flow outside of the rail's readings, the rail's flow between them; `total_j` in all."""
    first_ns, last_ns = int(rail.t_ns[0]), int(rail.t_ns[-1])
    knots = distinct(np.append(model.t_ns, np.array(run_ns, np.int64)))
    before, after = knots[knots < first_ns], knots[knots > last_ns]
    start_j = model.at(first_ns) - model.at(run_ns[0])
    joules = np.concatenate(
        [
            model.at(before) - model.at(run_ns[0]),
            start_j + rail.value,
            start_j + rail.value[-1] + model.at(after) - model.at(last_ns),
        ]
    )
    whole_j = float(joules[-1] - joules[0])
    return Curve(np.concatenate([before, rail.t_ns, after]), joules * (total_j / whole_j if whole_j > 0 else 1.0))


def _far_off(ratio: float) -> Reason:
    return Reason("rails_far_from_model", f"the rail measured {ratio:.3g} × what the model estimates: check the power profile")

"""Scale components to what power rails measured, by one ratio for each rail and run, and compare those that are not scaled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.component import Component, ComponentCurves, MeasuredComponent, RailUse, run_energy_j
from navitas.energy.attribute.curves import Curve, added, distinct
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables

RAILS = "rails"
"""The name of the level of evidence of a component that is scaled to rails."""
NO_USE = Reason("no_use_recorded", "nothing in the recording shows what used it: only its rail is known")
_FAR = 5.0


@dataclass(frozen=True, slots=True)
class RailGroup:
    """Rails, and the places of the components that they measure, ascending. No other rail measures these components."""

    rails: frozenset[str]
    members: tuple[int, ...]


def rail_groups(names: Iterable[str], components: Sequence[Component], uses: Collection[RailUse]) -> list[RailGroup]:
    """Return the groups of components that share rails with one of these uses, directly or by way of other components.

    The order of rails has no influence. Components without a rail are in no group.
    """
    known = tuple(names)
    found: list[RailGroup] = []
    for place, component in enumerate(components):
        own = frozenset(name for name in known if component.rail_use(name) in uses)
        if own:
            sharing = [each for each in found if each.rails & own]
            rails = own.union(*(each.rails for each in sharing))
            members = sorted([*(member for each in sharing for member in each.members), place])
            found = [each for each in found if not each.rails & own] + [RailGroup(rails, tuple(members))]
    return found


def rail_curve(run: RunTables, component: Component) -> Curve | None:
    """The cumulative joules that a component's rails measured in a run, as far as readings cover it.

    None without rails, with fewer than two readings, or if the use of components was not recorded (older recordings).
    """
    if run.devices.rails is None or not run.has_components:
        return None
    return measured_curve(run, [name for name in run.devices.rails.names if component.rail_use(name) is RailUse.TOTAL])


def measured_curve(run: RunTables, names: Collection[str]) -> Curve | None:
    """The cumulative joules that rails of these names measured in a run. None without them, or with fewer than two readings."""
    rails, start_ns, end_ns = run.devices.rails, run.start_ns, run.end_ns
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


def scaled_to_rails(run: RunTables, components: Sequence[MeasuredComponent], *, use_rails: bool) -> list[MeasuredComponent]:
    """Scale the components of a run that have a rail. Without `use_rails`, only add what the rails measured.

    Components that share a rail, such as Wi-Fi and Bluetooth, share its ratio. Components that are based on their rail already
    (level *rails*) stay as they are. If the estimate is 0, the rail's lowest power is base, and the rest is unattributed.
    """
    scaled = list(components)
    names = run.devices.rails.names if run.devices.rails is not None and run.has_components else ()
    for group in rail_groups(names, [one.component for one in components], {RailUse.TOTAL}):
        measured = measured_curve(run, group.rails)
        if measured is None:
            continue
        curves_of = {place: curves for place in group.members if (curves := components[place].curves) is not None}
        known = {place: curves for place, curves in curves_of.items() if curves.level != RAILS}
        first = group.members[0]
        if use_rails and not curves_of:
            scaled[first] = replace(components[first], curves=measured_only(measured))
        span_ns = int(measured.t_ns[0]), int(measured.t_ns[-1])
        modeled = {place: _modeled_j(curves, *span_ns) for place, curves in known.items()}
        estimates = {place: curves.during(*span_ns) for place, curves in known.items()}
        estimate_j, modeled_j, rail_j = sum(estimates.values()), sum(modeled.values()), float(measured.value[-1])
        ratio = rail_j / modeled_j if modeled_j > 0 else 1.0
        for place, curves in known.items():
            share = estimates[place] / estimate_j if estimate_j > 0 else float(place == next(iter(known)))
            own_rail = Curve(measured.t_ns, measured.value * share)
            if not use_rails:
                own = replace(curves, rails_j=float(own_rail.value[-1]))
            elif estimate_j > 0:
                reasons = curves.reasons if 1 / _FAR <= ratio <= _FAR else (*curves.reasons, _far_off(ratio))
                own = replace(_scaled(curves, rail_j / estimate_j, own_rail, (run.start_ns, run.end_ns)), reasons=reasons)
            else:
                own = _with_rest(curves, own_rail)
            scaled[place] = replace(components[place], curves=replace(own, unscaled_j=modeled[place]))
    return scaled


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


def rails_comparison(run: RunTables, components: Sequence[MeasuredComponent]) -> tuple[float, float] | None:
    """Estimated and measured joules from the first to the last reading of the rails within the run.

    Both sums cover the same consumers: components with an estimate and a rail. Base power counts if it has a rail. Components
    that are scaled to their rails (`RailUse.TOTAL`) are not compared: `Evidence` has their figures. None if
    there is no such rail, or fewer than two readings.
    Readings are not interpolated, because interpolation would spread the energy of the process's last moments over the time
    after its end.
    """
    rails = run.devices.rails
    if rails is None:
        return None
    inside = np.flatnonzero((rails.t_ns >= run.start_ns) & (rails.t_ns <= run.end_ns))
    if len(inside) < 2:
        return None
    first, last = inside[0], inside[-1]
    from_ns, to_ns = int(rails.t_ns[first]), int(rails.t_ns[last])
    used_j = rails.energy_j[last] - rails.energy_j[first]
    compared, estimate_j, measured_j = False, 0.0, 0.0
    for measured in components:
        uses = [use if use is not RailUse.TOTAL else None for use in map(measured.component.rail_use, rails.names)]
        curves = measured.curves
        if curves is None or not any(uses):
            continue
        base_j = curves.base.between(from_ns, to_ns)
        if RailUse.ACTIVE in uses:
            estimate_j += curves.between(from_ns, to_ns) - base_j
        if RailUse.BASE in uses:
            estimate_j += base_j
        measured_j += float(used_j[[use is not None for use in uses]].sum())
        compared = True
    return (estimate_j, measured_j) if compared else None


def unrecorded_uses(run: RunTables, components: Sequence[Component]) -> tuple[tuple[str, float], ...]:
    """What the rails of components measured above their lowest power, in joules, if the use of components was not recorded.

    Of components that share a rail, the first one has it. Empty if their use was recorded.
    """
    found = []
    names = () if run.has_components or run.devices.rails is None else run.devices.rails.names
    for group in rail_groups(names, components, {RailUse.TOTAL}):
        curve = measured_curve(run, group.rails)
        if curve is not None:
            found.append((components[group.members[0]].name, float(curve.value[-1] - floor_of(curve).value[-1])))
    return tuple(found)

"""One phone from the start to the end of a world: what happens to it, its charge, and what its apps really drain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from world.battery import DISCHARGING, Phases, draw_habits, live
from world.catalog import DAY_S, MINUTE_S, CatalogApp
from world.defects import Defect
from world.drains import (
    AppDrain,
    Hardware,
    PiecewiseRate,
    Scene,
    aged,
    app_rates,
    draw_bursts,
    draw_evenings,
    draw_hardware,
    on_mobile,
    phone_rates,
)
from world.launches import Foreground, draw_foreground
from world.networks import Connections, draw_connections
from world.people import Person, draw_person
from world.regimes import Regime
from world.roster import Handset
from world.runs import Surroundings, draw_runs
from world.spans import NO_SPANS, Floats, Spans, difference, intersection, merged, union
from world.streams import stream

_HOG_SIGMA = 0.25
_STOPS_BACKGROUND = 0.5


@dataclass(frozen=True, slots=True)
class Phone:
    """A phone with all that happened. `runs`: when each app ran, by index. `rates`: the drain without and with battery saver."""

    handset: Handset
    apps: dict[int, CatalogApp]
    hardware: Hardware
    person: Person
    connections: Connections
    foreground: Foreground
    off: Spans
    phases: Phases
    rates: tuple[PiecewiseRate, PiecewiseRate]
    runs: dict[int, Spans]
    drains: tuple[AppDrain, ...]
    end_s: float

    @property
    def unplugged(self) -> Spans:
        """When the phone discharged."""
        return self.phases.spans(DISCHARGING)


def live_phone(
    regime: Regime, catalog: tuple[CatalogApp, ...], handset: Handset, defects: tuple[Defect, ...], seed: int
) -> Phone:
    """Draw all that happens to a phone."""
    end_s = regime.days * DAY_S

    def rng(purpose: str) -> np.random.Generator:
        return stream(seed, handset.index, purpose)

    person = draw_person(regime, rng("person"))
    connections = draw_connections(person, regime.days, rng("networks"))
    apps = {index: catalog[index] for index in handset.apps}
    session_apps = [app for app in apps.values() if app.way == "session"]
    foreground = draw_foreground(person, session_apps, rng("foreground"))
    reboots = rng("reboots").uniform(0.0, end_s, rng("reboot count").poisson(regime.reboots_per_day * regime.days))
    off = merged(reboots, reboots + rng("off").uniform(*regime.off_min, len(reboots)) * MINUTE_S, end_s)
    stops = bool(rng("saver").random() < _STOPS_BACKGROUND)
    around = Surroundings(person, foreground, on_mobile(connections), off, stops, regime.days, handset.upgrade_s)
    drawn = draw_runs(list(apps.values()), around, seed, handset.index)
    hardware = draw_hardware(regime, rng("hardware"))
    drains = _drains(apps, handset, defects, around, rng("drains"))
    normal = {index: difference(one.normal, off) for index, one in drawn.items()}
    saver = {index: difference(one.saver, off) for index, one in drawn.items()}
    evenings = draw_evenings(hardware, person, regime.days, rng("evenings"))
    scene = Scene(person, connections, off, evenings, NO_SPANS, np.empty(0), handset.upgrade_s)
    edges = _edges(scene, drains, normal, saver, end_s)
    quiet = phone_rates(hardware, scene, edges, saver=False) + app_rates(drains, normal, edges)
    typical = float(np.sum(quiet * np.diff(edges)) / end_s)
    bursts, sizes = draw_bursts(regime, typical, rng("bursts"))
    scene = replace(scene, bursts=bursts, burst_percent_h=sizes)
    edges = _edges(scene, drains, normal, saver, end_s)
    factor = aged(hardware, edges)
    rates = tuple(
        PiecewiseRate(edges, factor * (phone_rates(hardware, scene, edges, saver=is_saver) + app_rates(drains, runs, edges)))
        for is_saver, runs in ((False, normal), (True, saver))
    )
    both = (rates[0], rates[1])
    phases = live(draw_habits(regime, person, rng("habits")), both, end_s, rng("charging"))
    in_saver = phases.spans(DISCHARGING, saver=True)
    runs = {index: _chosen(normal[index], saver[index], in_saver) for index in apps}
    return Phone(handset, apps, hardware, person, connections, foreground, off, phases, both, runs, tuple(drains), end_s)


def _drains(
    apps: dict[int, CatalogApp], handset: Handset, defects: tuple[Defect, ...], around: Surroundings, rng: np.random.Generator
) -> list[AppDrain]:
    """The extra drains of hogs, from their version on, and of bugs under their condition."""
    found = []
    for app in apps.values():
        factor = float(np.exp(rng.normal(-(_HOG_SIGMA**2) / 2, _HOG_SIGMA)))
        if app.hog_percent_h > 0:
            since_s = float(handset.adopted_s[app.index][app.since])
            when = np.array([[since_s, around.end_s]]) if since_s < around.end_s else NO_SPANS
            found.append(AppDrain(app.index, app.hog_percent_h * factor, when))
    whole = np.array([[0.0, around.end_s]])
    for defect in defects:
        kind, _, value = defect.condition.partition("=")
        when = around.mobile if kind == "mobile" else handset.os_spans(value, around.end_s) if kind == "os" else whole
        if kind != "model" or value == handset.model:
            found.append(AppDrain(defect.app, defect.percent_h, when))
    return found


def _edges(scene: Scene, drains: list[AppDrain], normal: dict[int, Spans], saver: dict[int, Spans], end_s: float) -> Floats:
    spans = [scene.person.lit, scene.off, scene.evenings, scene.bursts]
    spans += [one for drain in drains for one in (drain.when, normal[drain.app], saver[drain.app])]
    upgrade = [scene.upgrade_s] if scene.upgrade_s < end_s else []
    times = np.concatenate([[0.0, end_s], upgrade, scene.connections.edges_s, *(one.ravel() for one in spans)])
    return np.unique(times[(times >= 0.0) & (times <= end_s)])


def _chosen(normal: Spans, saver: Spans, in_saver: Spans) -> Spans:
    """The runs of a phone whose battery saver is on at times."""
    if not len(in_saver):
        return normal
    return union(difference(normal, in_saver), intersection(saver, in_saver))

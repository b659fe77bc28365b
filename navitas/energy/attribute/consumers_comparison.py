"""Compare estimates with what the device's own power statistics attribute to components and to the app (energy consumers)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.component import ComponentCurves, MeasuredComponent, threads_between
from navitas.recording.parse.device_states import NO_UID
from navitas.recording.parse.rail_readings import EnergyConsumers
from navitas.recording.parse.tables import RunTables
from navitas.recording.parse.time_in_state import continued, fallen, torn

_COMPONENTS = {
    "CPU_CLUSTER": "cpu",
    "DISPLAY": "screen",
    "WIFI": "wifi",
    "BLUETOOTH": "bluetooth",
    "MOBILE_RADIO": "modem",
    "GNSS": "gnss",
    "CAMERA": "camera",
}
"""Components by the type of consumer (AOSP: EnergyConsumerType)."""
_NAMES = {
    "display": "screen",
    "gps": "gnss",
    "modem": "modem",
    "wifi": "wifi",
    "camera": "camera",
    "gpu": "gpu",
    "bluetooth": "bluetooth",
}
"""Components by the name of consumers of other or unknown types (names of Pixel phones)."""
_CLUSTER = re.compile(r"CPUCL\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ConsumerEnergy:
    """The energy of a component while consumers were read: theirs (`energy_j`), and the estimate for the same time.

    `app_j` is what they attribute to the app's uid, `app_estimate_j` that of the app's threads. `app_j` is None if the consumers
    attribute nothing to uids, or the app's uid is unknown.
    """

    component: str
    consumers: tuple[str, ...]
    energy_j: float
    estimate_j: float
    app_j: float | None
    app_estimate_j: float

    @property
    def is_used(self) -> bool:
        """Whether the device or the estimate has energy of it."""
        return bool(self.energy_j or self.estimate_j or self.app_estimate_j)


def consumer_energies(run: RunTables, components: Sequence[MeasuredComponent]) -> tuple[ConsumerEnergy, ...]:
    """Compare each component that has consumers, over the time from their first reading within the run to the last one.

    Clusters of the CPU are compared with its estimate without base, since the base power flows elsewhere.
    """
    table = run.devices.consumers
    if table is None:
        return ()
    inside = np.flatnonzero((table.t_ns >= run.start_ns) & (table.t_ns <= run.end_ns))
    if len(inside) < 2:
        return ()
    span = int(table.t_ns[inside[0]]), int(table.t_ns[inside[-1]])
    used_j = table.energy_j[inside[-1]] - table.energy_j[inside[0]]
    states = run.devices.states
    app_uid = states.app_uid if table.app_uid == NO_UID and states is not None else table.app_uid
    names = [component_of(kind, name) for kind, name in zip(table.kinds, table.names, strict=True)]
    found = []
    for measured in components:
        component, known = measured.component.name, measured.curves
        own = [place for place, name in enumerate(names) if name == component]
        if not own or known is None:
            continue
        is_cpu = known.threads is not None and known.threads.cpu_ns is not None
        estimate_j = known.during(*span) - (known.base.between(*span) if is_cpu else 0.0)
        consumers = tuple(table.names[place] for place in own)
        app_j = _app_j(table, app_uid, own, span)
        found.append(
            ConsumerEnergy(component, consumers, float(used_j[own].sum()), estimate_j, app_j, _app_estimate_j(known, span))
        )
    return tuple(found)


def component_of(kind: str, name: str) -> str | None:
    """Return the component that a consumer of this type and name belongs to, or None."""
    return _COMPONENTS.get(kind) or ("cpu" if _CLUSTER.fullmatch(name) else _NAMES.get(name.lower()))


def _app_j(table: EnergyConsumers, app_uid: int, consumers: Sequence[int], span: tuple[int, int]) -> float | None:
    """What the consumers attribute to the app. An app that a reading does not list has used nothing until then."""
    rows = np.isin(table.uid_consumer, list(consumers)) & (table.uid_t_ns <= span[1])
    if app_uid == NO_UID or not rows.any():
        return None
    total = 0.0
    for consumer in consumers:
        own = rows & (table.uid_consumer == consumer) & (table.uid == app_uid)
        read_j = np.append(0.0, table.uid_energy_j[own])[:, None]
        is_kept = ~torn(read_j)
        is_lower = fallen(read_j[is_kept])
        used_j = continued(read_j[is_kept], np.zeros_like(is_lower), is_lower)
        before = np.count_nonzero(table.uid_t_ns[own][is_kept[1:]] <= span[0])
        total += float(used_j[-1, 0] - used_j[before, 0])
    return total


def _app_estimate_j(known: ComponentCurves, span: tuple[int, int]) -> float:
    curves_j = 0.0 if known.threads is None else float(threads_between(known.threads, *span).sum())
    inside = (known.charges.t_ns >= span[0]) & (known.charges.t_ns <= span[1])
    return curves_j + float(known.charges.energy_j[inside].sum())


def merged_consumers(runs: Sequence[Sequence[ConsumerEnergy]]) -> tuple[ConsumerEnergy, ...]:
    """Sum the comparisons of several runs by component. `app_j` is None unless all runs have it."""
    merged: dict[str, ConsumerEnergy] = {}
    for one in (each for run in runs for each in run):
        other = merged.get(one.component)
        if other is None:
            merged[one.component] = one
            continue
        app_j = None if one.app_j is None or other.app_j is None else one.app_j + other.app_j
        merged[one.component] = ConsumerEnergy(
            one.component,
            tuple(dict.fromkeys((*other.consumers, *one.consumers))),
            other.energy_j + one.energy_j,
            other.estimate_j + one.estimate_j,
            app_j,
            other.app_estimate_j + one.app_estimate_j,
        )
    return tuple(merged.values())

"""The apps that run at each sample, and their drains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.schema import I64
from navitas.fleet.simulate.catalog import F64, RESOURCES, Bool, Catalog
from navitas.fleet.simulate.clients import InstalledApps
from navitas.fleet.simulate.course import MOBILE, Course, between

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Running:
    """Running apps, of shape (samples, clients, slots), and the slot in the foreground (−1: none)."""

    on: Bool
    foreground: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class RunningDrains:
    """Pairs (client, slot) with a drain, in order of client, as columns. Rows are intervals.

    `on` is the state at samples. Over the interval after each, `drain_ppm_s` is the mean, `run` the fraction with the app on.
    """

    client: I64
    slot: I64
    on: F32
    drain_ppm_s: F32
    run: F32

    def by_client(self, values: F32, pairs: Bool, clients: int) -> F64:
        """Sum `values` (rows, pairs) of the selected pairs by client."""
        total = np.zeros((len(values), clients))
        chosen = self.client[pairs]
        if len(chosen):
            starts = np.flatnonzero(np.append(True, np.diff(chosen) != 0))
            total[:, chosen[starts]] = np.add.reduceat(values[:, pairs], starts, axis=1)
        return total


def running_of(apps: InstalledApps, course: Course, random: np.random.Generator) -> Running:
    """Draw one sample after another: each app stays on or off, and the screen starts more of them."""
    rows, size = course.time_s.shape
    slots = apps.app.shape[1]
    on = np.zeros((rows, size, slots), bool)
    foreground = np.full((rows, size), -1, np.int16)
    # Start from the stationary distribution of the chain.
    tendency = apps.start / np.maximum(apps.start + 1 - apps.stay, np.float32(1e-6))
    state = random.random(apps.app.shape, np.float32) < tendency
    never = np.float32(1) - apps.used
    last = np.count_nonzero(apps.app >= 0, axis=1) - 1
    for row, active in enumerate(course.active.tolist()):
        draw = random.random((active, slots), np.float32)
        if row:
            state = draw < np.where(state[:active], apps.stay[:active], apps.start[:active])
        lit = np.flatnonzero(course.screen[row, :active])
        on[row, :active] = state
        on[row, lit] |= draw[lit] > never[lit]
        front = np.minimum((apps.chosen[lit] < random.random((len(lit), 1), np.float32)).sum(axis=1), last[lit])
        on[row, lit, front] = True
        foreground[row, lit] = front
    return Running(on, foreground)


def effects_of(catalog: Catalog, apps: InstalledApps, course: Course, running: Running) -> RunningDrains:
    """The drains of hogs and bugs while they run, in the versions and networks where they drain."""
    client, slot = np.nonzero(apps.extra_ppm_s)
    app = apps.app[client, slot]
    on = running.on[:, client, slot].astype(np.float32)
    drains = on * apps.extra_ppm_s[client, slot].astype(np.float32)
    late = np.flatnonzero(catalog.since[app])
    began = apps.updated[client[late], slot[late], catalog.since[app[late]] - 1]
    drains[:, late] *= course.time_s[:, client[late]] >= began
    mobile = np.array([text == "network=mobile" for text in catalog.condition], bool)[app] & apps.bug[client, slot]
    drains[:, mobile] *= course.network[:, client[mobile]] == MOBILE
    switch = course.switch.astype(np.float32)[:, client]
    return RunningDrains(client, slot, on, between(switch, drains), between(switch, on))


def through(catalog: Catalog, apps: InstalledApps, effects: RunningDrains, resource: str) -> Bool:
    """Whether each pair drains through the resource."""
    return np.asarray(catalog.resource[apps.app[effects.client, effects.slot]] == RESOURCES.index(resource))

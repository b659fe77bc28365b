"""The apps that run at each sample, and their drains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.simulate.catalog import RESOURCES, Catalog
from navitas.fleet.simulate.clients import InstalledApps
from navitas.fleet.simulate.course import MOBILE, Course
from navitas.fleet.statistics import F64, I64, Bool

F32 = NDArray[np.float32]
_STEPS = 8
"""Steps of an app's state within an interval."""


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
    """Draw one sample after another: each app starts and stops at random times, and the screen starts more of them."""
    rows, size = course.time_s.shape
    slots = apps.app.shape[1]
    on = np.zeros((rows, size, slots), bool)
    foreground = np.full((rows, size), -1, np.int16)
    # Start from the stationary distribution of the chain.
    state = random.random(apps.app.shape, np.float32) < apps.duty
    never = np.float32(1) - apps.used
    last = np.count_nonzero(apps.app >= 0, axis=1) - 1
    for row, active in enumerate(course.active.tolist()):
        draw = random.random((active, slots), np.float32)
        if row:
            gap = (course.time_s[row, :active] - course.time_s[row - 1, :active]).astype(np.float32)
            state = draw < _chance(apps.duty[:active], apps.switch_per_s[:active] * gap[:, None], state[:active])
        lit = np.flatnonzero(course.screen[row, :active])
        on[row, :active] = state
        on[row, lit] |= draw[lit] > never[lit]
        front = np.minimum((apps.chosen[lit] < random.random((len(lit), 1), np.float32)).sum(axis=1), last[lit])
        on[row, lit, front] = True
        foreground[row, lit] = front
    return Running(on, foreground)


def effects_of(
    catalog: Catalog, apps: InstalledApps, course: Course, running: Running, random: np.random.Generator
) -> RunningDrains:
    """The drains of hogs and bugs while they run, in the versions and networks where they drain."""
    client, slot = np.nonzero(apps.extra_ppm_s)
    app = apps.app[client, slot]
    on = running.on[:, client, slot].astype(np.float32)
    active = np.ones_like(on)
    late = np.flatnonzero(catalog.since[app])
    began = apps.updated[client[late], slot[late], catalog.since[app[late]] - 1]
    active[:, late] *= course.time_s[:, client[late]] >= began
    mobile = np.array([text == "network=mobile" for text in catalog.condition], bool)[app] & apps.bug[client, slot]
    active[:, mobile] *= course.network[:, client[mobile]] == MOBILE
    run = _run_shares(on, course, client, (apps.duty[client, slot], apps.switch_per_s[client, slot]), random)
    ends = np.stack([active, np.vstack([active[1:], active[-1:]])])
    drains = (run * ends).sum(axis=0) * apps.extra_ppm_s[client, slot].astype(np.float32)
    return RunningDrains(client, slot, on, drains, run.sum(axis=0))


def _chance(duty: F32, switches: F32, state: F32 | Bool | float) -> F32:
    """The chance that a two-state Markov chain is on, `switches` after the given state (in mean times of its memory)."""
    return np.asarray(duty + (np.asarray(state, np.float32) - duty) * np.exp(-switches), np.float32)


def _run_shares(on: F32, course: Course, client: I64, chain: tuple[F32, F32], random: np.random.Generator) -> F32:
    """How long each app runs in the interval after each sample, before and after `course.switch` (shape (2, *on)), as shares.

    Between two samples, the app's state is a Markov chain from one end to the other, drawn in `_STEPS` steps. `chain` has each
    app's duty and rate.
    """
    duty, switch_per_s = chain
    seconds = course.seconds.astype(np.float32)[:-1, client]
    step = np.asarray(switch_per_s * seconds / _STEPS, np.float32)
    state, after = on[:-1], on[1:]
    shares = np.zeros((2, *on.shape), np.float32)
    early = course.switch.astype(np.float32)[:-1, client]
    for number in range(_STEPS):
        middle = (number + np.float32(0.5)) / _STEPS
        is_early = middle < early
        shares[0, :-1] += state * is_early / _STEPS
        shares[1, :-1] += state * ~is_early / _STEPS
        left = np.asarray(step * (_STEPS - 1 - number), np.float32)
        rises = _chance(duty, step, state)
        to_end = [_chance(duty, left, float(start)) for start in (0, 1)]
        likely = [rises * np.where(after, to_end[1], 1 - to_end[1]), (1 - rises) * np.where(after, to_end[0], 1 - to_end[0])]
        state = (random.random(state.shape, np.float32) * (likely[0] + likely[1]) < likely[0]).astype(np.float32)
    return shares


def through(catalog: Catalog, apps: InstalledApps, effects: RunningDrains, resource: str) -> Bool:
    """Whether each pair drains through the resource."""
    return np.asarray(catalog.resource[apps.app[effects.client, effects.slot]] == RESOURCES.index(resource))

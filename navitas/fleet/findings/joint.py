"""Stage *joint*: how the running times of some apps overlap on each client, for a regression on all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.files import read_table
from navitas.fleet.findings.client_weights import ClientWeights
from navitas.fleet.findings.wanted_apps import JointRequest
from navitas.fleet.regression.controls import ONE
from navitas.fleet.regression.designs import ClientDesign, Numbers, PairBlock, blocks
from navitas.fleet.regression.memberships import first_samples
from navitas.fleet.regression.pairs import pairs_of, samples_in
from navitas.fleet.regression.presence import wanted_runs
from navitas.fleet.regression.usage import TIMED, ClientColumns, client_schema
from navitas.fleet.regression.within import shares_of, slowness
from navitas.fleet.stages import Fleet, added, run_stage
from navitas.fleet.statistics import F64, I64, Bool
from navitas.fleet.units import StageTask

_SLOW = tuple(f"slow{kind}" for kind in TIMED)
_OF_APP = ("s", "noise", "day_noise", "gg", *_SLOW)
SUMS = ("h", "g", *_OF_APP)
_NUMBERS = ("client", "app", "other")
JOINT = client_schema(SUMS, pa.float64(), app=pa.int32(), other=pa.int32())
"""By client and two apps: `h` = Σ T x̃ y, with x̃ of `app` and y the running time of `other` as far as it is reliable, and `g` =
Σ T x̃ x, without regard to reliability.

Where both apps are the same, `s` is Σ T x̃ r in ppm, and `gg` the sum over days of (Σ T x̃²)². `noise` and `day_noise` are the
variance of `s` by the residuals of a regression on all of the client's apps: if pairs are independent and alike, and if days are
independent (Liang and Zeger 1986). A drain that no sample shows can last for many pairs. `slow1` … `slow4` are, by class of
pairs, q(1 − q) times Σ of drops that other apps leave unexplained, divided by the rate near each pair (`within.slowness`), with
the mean q of x. Elsewhere, all but h and g are 0.
"""
_DAY_S = 86_400
_RIDGE = 1e-6
FOLDER = "joint"
"""Folder of the stage's results."""
_VERSION = "10"
_ROWS_IN_MEMORY = 1 << 24
"""So many rows of systems stay in memory, which takes about 600 MiB. All others are read in each pass."""


def joint_sums(block: PairBlock, design: ClientDesign, by_class: F64, time_s: I64, slow: F64) -> tuple[F64, ...]:
    """The sums of a client (`SUMS`): matrices h and g, and values for each app. `by_class` has the reliability of its apps.

    `time_s` is the time of each sample, and `slow` the `slowness` of each pair.
    """
    own = block.pairs.of_client(design.number)
    seconds, left = block.pairs.seconds[own], block.left.left_ppm[own]
    moment, rest, apart = shares_of(block.pairs, block.left, design.number, design.share)
    timed = rest * seconds
    h, g = timed @ (by_class[:, block.pairs.kind[own]] * apart).T, timed @ apart.T
    s = rest @ left
    own_g = g.diagonal()
    slope = np.linalg.solve(g + np.diag(_RIDGE * own_g + 1.0), s)
    unexplained = left - slope @ timed
    freedom = max(float(block.left.freedom[design.number]) - len(s), 1.0)
    alike = own_g * (unexplained @ (unexplained / seconds)) / freedom
    day = time_s[block.end[own]] // _DAY_S
    first = np.flatnonzero(np.diff(day, prepend=-1))
    weight = np.add.reduceat(timed * rest, first, axis=1)
    gg = (weight * weight).sum(axis=1)
    days = np.divide(weight.sum(axis=1) ** 2, gg, out=np.ones(len(gg)), where=gg > 0)
    by_day = (np.add.reduceat(rest * unexplained, first, axis=1) ** 2).sum(axis=1) * days / np.maximum(days - 1, 0.5)
    mean = moment[:, ONE] / seconds.sum()
    slow_of_class = slow[own] * (block.pairs.kind[own] == np.array(TIMED)[:, None])
    slow_s = (slow_of_class @ unexplained)[:, None] + slow_of_class @ timed.T * slope
    return h, g, s, alike, by_day, gg, *(slow_s * (mean * (1 - mean)))


@dataclass(frozen=True, slots=True)
class JointTask(StageTask):
    """Units whose results are missing or out of date. `app_of` maps packages to apps."""

    request: JointRequest
    app_of: NDArray[np.int32]

    def table(self, samples: pa.Table, presence: pa.Table, begins_s: int) -> pa.Table:
        """A unit's sums by client and two apps (`JOINT`)."""
        wanted, app_of = self.request.apps, self.app_of
        samples = wanted.of_clients(samples)
        parsed = samples_in(samples)
        used = pairs_of(parsed).among(parsed.time_s >= begins_s)
        number_of = np.full(int(max(app_of.max(initial=-1), self.request.app.max(initial=-1))) + 1, -1, np.int32)
        number_of[self.request.app] = np.arange(len(self.request.app))
        is_wanted = wanted.table(parsed.client[first_samples(parsed.client)], self.request.app)
        runs = wanted_runs(samples, presence, parsed.client, number_of[app_of], is_wanted)
        rows = ClientColumns(JOINT)
        for block, designs in blocks(samples, parsed, used, runs, Numbers(len(self.request.app))):
            slow = slowness(block.pairs, block.at_levels)
            for design in designs:
                h, g, *own = joint_sums(block, design, self.request.by_class[design.app], parsed.time_s, slow)
                app, size = self.request.app[design.app], len(design.app)
                diagonals = np.zeros((len(own), size, size))
                diagonals[:, np.arange(size), np.arange(size)] = own
                columns = (h.ravel(), g.ravel(), *diagonals.reshape(len(own), -1))
                rows.add(design.client, np.repeat(app, size), np.tile(app, size), *columns)
        return rows.table()


def bring_up_to_date(fleet: Fleet, request: JointRequest) -> None:
    """Compute the results that are missing. Raises `FleetError`."""

    def tasks() -> Iterator[JointTask]:
        for bucket in fleet.buckets:
            own = request.for_bucket(bucket, fleet.store.buckets)
            key = f"{_VERSION} {own.digest()}"
            yield JointTask(fleet.stale_jobs(bucket, FOLDER, key), FOLDER, key, own, fleet.app_of)

    run_stage(fleet, tasks)


@dataclass(frozen=True, slots=True)
class JointSystem:
    """The equations of a bucket's clients, a row for each client and two apps (see `JOINT`).

    `clients` are ascending, and `client` is a place in them. `app` and `other` are places in the request's `size` apps. Rows are
    in order of all three.
    """

    clients: I64
    size: int
    client: I64
    app: I64
    other: I64
    h: F64
    g: F64
    s: F64
    noise: F64
    day_noise: F64
    gg: F64
    slow1: F64
    slow2: F64
    slow3: F64
    slow4: F64

    def only(self, kept: Bool | slice) -> JointSystem:
        """These rows."""
        rows = {name: getattr(self, name)[kept] for name in (*_NUMBERS, *SUMS)}
        return replace(self, **rows)

    def weighted(self, weights: ClientWeights, needs_brightness: Bool) -> JointSystem:
        """The equations times the weights of clients, for sums over clients. `needs_brightness` is by app."""
        weight = weights.of(self.clients, needs_brightness)[self.client, self.app]
        return replace(self, h=weight * self.h, g=weight * self.g, s=weight * self.s)

    def scaled(self, reliability: F64) -> JointSystem:
        """The equations with the reliability of each app's running times multiplied by a factor."""
        return replace(self, h=self.h * reliability[self.other])

    def slow_s(self) -> F64:
        """The sums of slow drops by app and class of pairs."""
        own = self.app == self.other
        return np.stack([np.bincount(self.app[own], getattr(self, name)[own], self.size) for name in _SLOW], axis=1)

    def among(self, wanted: Bool) -> JointSystem:
        """The rows of which both apps are `wanted` on the client (rows are clients, columns apps)."""
        return self.only(wanted[self.client, self.app] & wanted[self.client, self.other])


def systems_of(fleet: Fleet, request: JointRequest, buckets: Sequence[int]) -> Iterator[JointSystem]:
    """Yield the equations of one bucket after another, summed over months. The stage must be up to date."""
    for bucket in buckets:
        table = pa.concat_tables(read_table(job.file(FOLDER)) for job in fleet.bucket_jobs(bucket))
        summed = added(table, _NUMBERS, SUMS)
        clients, client = np.unique(summed["client"].to_numpy(), return_inverse=True)
        app, other = (np.searchsorted(request.app, summed[name].to_numpy()) for name in ("app", "other"))
        sums = {name: summed[name].to_numpy() for name in SUMS}
        yield JointSystem(clients, len(request.app), client, app, other, **sums)


@dataclass(frozen=True, slots=True)
class _PackedSystem:
    """A system in a third of its memory: numbers have four bytes, and most columns only the rows where both apps are the same."""

    system: JointSystem

    @classmethod
    def of(cls, system: JointSystem) -> _PackedSystem:
        """Pack a system."""
        own = system.app == system.other
        numbers = {name: getattr(system, name).astype(np.int32) for name in _NUMBERS}
        return cls(replace(system, **numbers, **{name: getattr(system, name)[own] for name in _OF_APP}))

    def unpacked(self) -> JointSystem:
        """The system."""
        columns: dict[str, Any] = {name: getattr(self.system, name).astype(np.int64) for name in _NUMBERS}
        own = np.flatnonzero(self.system.app == self.system.other)
        for name in _OF_APP:
            columns[name] = np.zeros(len(self.system.h))
            columns[name][own] = getattr(self.system, name)
        return replace(self.system, **columns)


@dataclass(frozen=True, slots=True)
class JointSystems:
    """The equations of all buckets, one bucket after another, in as many passes as needed. The stage must be up to date."""

    fleet: Fleet
    request: JointRequest
    changes: tuple[Callable[[JointSystem], JointSystem], ...] = ()
    in_memory: dict[int, _PackedSystem] = field(default_factory=dict)

    def changed(self, change: Callable[[JointSystem], JointSystem]) -> JointSystems:
        """The same equations, each system changed after all earlier changes."""
        return replace(self, changes=(*self.changes, change))

    def __iter__(self) -> Iterator[JointSystem]:
        left = _ROWS_IN_MEMORY - sum(len(packed.system.h) for packed in self.in_memory.values())
        for bucket in self.fleet.buckets:
            if bucket in self.in_memory:
                system = self.in_memory[bucket].unpacked()
            else:
                (system,) = systems_of(self.fleet, self.request, [bucket])
                if len(system.h) <= left:
                    self.in_memory[bucket] = _PackedSystem.of(system)
                    left -= len(system.h)
            for change in self.changes:
                system = change(system)
            yield system

"""Simulates the clients of a bucket in a period, in blocks of bounded size with independent random numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.simulate.catalog import Catalog
from navitas.fleet.simulate.clients import Clients, clients_of
from navitas.fleet.simulate.course import battery_of, course_of
from navitas.fleet.simulate.model import FleetModel, generator
from navitas.fleet.simulate.rows import ClientBlock, rows_of, stopped
from navitas.fleet.simulate.running import Running, RunningDrains, effects_of, running_of
from navitas.fleet.simulate.truth import clients_table, effects_table
from navitas.fleet.statistics import I64, Bool

_BLOCK_SAMPLES = 1 << 20
"""Samples of a block if all its clients had as many as the first. Changing it changes the random numbers."""


@dataclass(frozen=True, slots=True)
class SimulatedPeriod:
    """A simulated period: its number (0 is the first), and its offset from the first in seconds."""

    number: int
    late_s: int


@dataclass(frozen=True, slots=True)
class Members:
    """Clients of a bucket, ascending, and the number of samples of each."""

    bucket: int
    number: I64
    samples: I64


@dataclass(frozen=True, slots=True)
class Stops:
    """Apps that clients stopped using, as pairs of a client and an app number."""

    client: I64
    app: I64

    def slots(self, clients: Clients) -> Bool:
        """The slots of these pairs among a block's clients."""
        chosen = np.zeros(clients.apps.app.shape, bool)
        place = {number: row for row, number in enumerate(clients.number.tolist())}
        for client, app in zip(self.client.tolist(), self.app.tolist(), strict=True):
            if client in place:
                chosen[place[client]] |= clients.apps.app[place[client]] == app
        return chosen


@dataclass(frozen=True, slots=True)
class Plan:
    """A period of a fleet to simulate, and the apps that clients stopped before it (None: no advice)."""

    model: FleetModel
    seed: int
    catalog: Catalog
    period: SimulatedPeriod
    stops: Stops | None = None

    def digest(self) -> str:
        """16 hexadecimal digits that name the plan's parts."""
        stopped = [] if self.stops is None else [self.stops.client.tolist(), self.stops.app.tolist()]
        text = json.dumps([self.model.as_dict(), self.seed, asdict(self.period), stopped], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class SimulatedBlock:
    """A block's rows and truth."""

    samples: pa.Table
    clients: pa.Table
    effects: pa.Table


def blocks_of(plan: Plan, members: Members) -> Iterator[SimulatedBlock]:
    """Simulate block by block, in order of client."""
    low, block = 0, 0
    while low < len(members.number):
        high, longest = low, 0
        while high < len(members.number):
            longest = max(longest, int(members.samples[high]))
            if high > low and longest * (high + 1 - low) > _BLOCK_SAMPLES:
                break
            high += 1
        some = slice(low, high)
        traits = generator(plan.seed, members.bucket, block, 0)
        clients = clients_of(plan.model, plan.catalog, members.number[some], members.samples[some], traits)
        yield _simulated(plan, clients, (members.bucket, block))
        low, block = high, block + 1


def _simulated(plan: Plan, clients: Clients, place: tuple[int, int]) -> SimulatedBlock:
    catalog, dirt = plan.catalog, plan.model.dirt
    random = generator(plan.seed, *place, 1 + plan.period.number)

    def effects_while(running: Running) -> RunningDrains:
        # The same random numbers, so that stopped apps do not change others.
        return effects_of(catalog, clients.apps, course, running, generator(plan.seed, *place, 3 + plan.period.number))

    course = course_of(plan.model, clients, random, plan.period.late_s)
    running = running_of(clients.apps, course, random)
    size = len(clients.number)
    every = effects_while(running)
    unfollowed = course.rate_ppm_s + every.by_client(every.drain_ppm_s, np.ones(len(every.client), bool), size)
    rate, effects = unfollowed, every
    if plan.stops is not None:
        running = stopped(running, plan.stops.slots(clients))
        effects = effects_while(running)
        rate = course.rate_ppm_s + effects.by_client(effects.drain_ppm_s, np.ones(len(effects.client), bool), size)
    battery = battery_of(clients, course, rate, random, dirt)
    block = ClientBlock(clients, course, running, effects, rate, battery, plan.model.counters)
    return SimulatedBlock(rows_of(catalog, block, random, dirt), clients_table(block, unfollowed), effects_table(catalog, block))

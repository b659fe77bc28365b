"""The distribution of exact rates, and the expected rate of pairs with coarse levels (paper 5, section 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.fleet.files import read_table, write_table
from navitas.fleet.pairs import Bool, Pairs, pairs_of
from navitas.fleet.sample_columns import ordered, samples_in
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64
from navitas.fleet.units import BucketTask, UnitJob, samples_of

UNIT_PPM_S = 0.001
"""Unit of integer rates. Integer sums are exact in any order."""
MAX_RATE = 1_000_000
"""Upper limit of rates: a battery that is empty in 17 minutes. It keeps the sum of a month's squares below 2⁶³."""
EXACT_STEP_PPM = 10_000
"""Rates are exact for clients whose levels change by 1 % at a time, as Android reports them."""
COLUMNS = ["client", "time_s", "level_ppm", "state", "screen", "uptime_s"]
_BIN = 50
_BINS = MAX_RATE // _BIN


@dataclass(frozen=True, slots=True)
class Apriori:
    """A histogram of exact rates in bins of 0.05 ppm/s: counts, and sums in `UNIT_PPM_S`. The last bin has the capped rates."""

    count: I64
    total: I64

    @classmethod
    def from_rates(cls, rates: I64) -> Apriori:
        """The distribution of these rates."""
        bins = rates // _BIN
        total = np.bincount(bins, weights=rates, minlength=_BINS + 1)
        return cls(np.bincount(bins, minlength=_BINS + 1).astype(np.int64), np.rint(total).astype(np.int64))

    @classmethod
    def read(cls, *files: Path) -> Apriori:
        """The sum of the stored distributions."""
        tables = [read_table(file) for file in files]
        count, total = (np.sum([table[name].to_numpy() for table in tables], axis=0) for name in ("count", "total"))
        return cls(count, total)

    def write(self, file: Path, inputs: str) -> None:
        """Write the distribution to a file."""
        write_table(file, pa.table({"count": self.count, "total": self.total}), inputs)

    def expected(self, low: F64, high: F64) -> F64:
        """The mean rate of the slice between each pair of bounds (in `UNIT_PPM_S`).

        A bin that a bound cuts counts by its share, as if its rates were uniform. An empty slice gives its middle.
        """
        mass = _between(self.count, low, high)
        mean = _between(self.total, low, high) / np.where(mass > 0, mass, 1.0)
        return np.where(mass > 0, np.clip(mean, low, high), (low + high) / 2)


def rates_of(pairs: Pairs, step_ppm: I64, apriori: Apriori) -> I64:
    """The expected rate of each pair, in `UNIT_PPM_S`. `step_ppm` has the step of each sample's client, or 0.

    An exact pair has its own rate. A coarse level may be up to one step too high at either end. So the rate is at least
    max(0, drop − step) / seconds and at most (drop + step) / seconds. Pairs that do not count have rate 0.
    """
    seconds = np.maximum(pairs.seconds, 1).astype(np.float64)
    rate = pairs.drop_ppm / seconds
    coarse = np.flatnonzero(pairs.counts & ~exact(step_ppm))
    low = np.maximum(pairs.drop_ppm - step_ppm, 0)[coarse] / seconds[coarse]
    high = (pairs.drop_ppm + step_ppm)[coarse] / seconds[coarse]
    rate[coarse] = UNIT_PPM_S * apriori.expected(low / UNIT_PPM_S, high / UNIT_PPM_S)
    return np.minimum(np.rint(rate / UNIT_PPM_S), MAX_RATE).astype(np.int64) * pairs.counts


def exact(step_ppm: I64) -> Bool:
    """Whether clients with these steps have exact rates."""
    return np.asarray((step_ppm > 0) & (step_ppm <= EXACT_STEP_PPM))


@dataclass(frozen=True, slots=True)
class Steps:
    """Clients in ascending order, and the smallest level change of each in any month."""

    client: I64
    step_ppm: I64

    @classmethod
    def read(cls, files: tuple[Path, ...]) -> Steps:
        """Read the tables of clients of some units. Clients whose level never changed are left out."""
        tables = [read_table(file, ["client", "step_ppm"]) for file in files]
        client, step = (
            np.concatenate([table[name].to_numpy() for table in tables]).astype(np.int64) for name in ("client", "step_ppm")
        )
        order = np.lexsort((step, client))
        order = order[step[order] > 0]
        client, first = np.unique(client[order], return_index=True)
        return cls(client, step[order][first])

    def for_clients(self, client: I64) -> I64:
        """The step of each of these clients; 0 if unknown."""
        if not len(self.client):
            return np.zeros(len(client), np.int64)
        place = np.minimum(np.searchsorted(self.client, client), len(self.client) - 1)
        return np.where(self.client[place] == client, self.step_ppm[place], 0)


@dataclass(frozen=True, slots=True)
class AprioriTask(BucketTask):
    """The exact rates of a bucket's clients."""

    file: Path
    inputs: str

    def run(self) -> None:
        """Write the distribution."""
        steps = Steps.read(tuple(job.clients for job in self.jobs))
        rates = [_exact_rates(job, table, steps) for job, table in samples_of(self.jobs, COLUMNS)]
        Apriori.from_rates(np.concatenate(rates)).write(self.file, self.inputs)


def _exact_rates(job: UnitJob, table: pa.Table, steps: Steps) -> I64:
    samples = samples_in(ordered(table))
    pairs = pairs_of(samples)
    chosen = pairs.counts & (samples.time_s >= job.begins_s) & exact(steps.for_clients(samples.client))
    rate = np.rint(pairs.drop_ppm[chosen] / pairs.seconds[chosen] / UNIT_PPM_S)
    return np.minimum(rate, MAX_RATE).astype(np.int64)


def _between(values: I64, low: F64, high: F64) -> F64:
    """The sum of the bins' values between the bounds."""
    upto = np.append(0, np.cumsum(values)).astype(np.float64)
    edges = np.arange(_BINS + 2) * _BIN
    return np.asarray(np.interp(high, edges, upto) - np.interp(low, edges, upto))

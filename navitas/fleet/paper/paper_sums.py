"""Stage *paper*: sums of the paper's rates of pairs, by client and app (paper 5, sections 2.2 and 2.3).

Clients whose levels change by 1 % at a time have exact rates. Their distribution gives the expected rate of pairs with coarse
levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.files import fingerprint, is_made_from, read_table, write_table
from navitas.fleet.findings.rates import LevelSteps, unit_pairs
from navitas.fleet.regression.memberships import client_blocks, first_samples, matrices
from navitas.fleet.regression.pairs import PAIR_COLUMNS, app_lists, ordered
from navitas.fleet.regression.usage import ClientColumns, client_schema
from navitas.fleet.stages import Fleet, run_stage
from navitas.fleet.statistics import F64, I64
from navitas.fleet.units import BucketTask, samples_of

FOLDER = "paper"
"""Folder of the stage's results, and their table name in statements."""
NAMES = ("pairs", "rate", "square")
SUMS = client_schema(NAMES, pa.int64(), app=pa.int32())
"""By client and app: pairs with the app, Σ rate in 0.001 ppm/s and Σ rate² in its square. A null app stands for all pairs."""
UNIT_PPM_S = 0.001
"""Unit of integer rates. Integer sums are exact in any order."""
MAX_RATE = 1_000_000
"""Upper limit of rates: a battery that is empty in 17 minutes. It keeps the sum of a client's squares in a month below 2⁵³."""
EXACT_STEP_PPM = 10_000
"""Rates are exact for clients whose levels change by 1 % at a time, as Android reports them."""
_VERSION = "2"
_BIN = 50
_BINS = MAX_RATE // _BIN


@dataclass(frozen=True, slots=True)
class Apriori:
    """A histogram of exact rates in bins of 0.05 ppm/s: counts, and sums in `UNIT_PPM_S`. The last bin has the capped rates."""

    count: I64
    total: I64

    @classmethod
    def from_rates(cls, rates: I64) -> Apriori:
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
        write_table(file, pa.table({"count": self.count, "total": self.total}), inputs)

    def expected(self, low: F64, high: F64) -> F64:
        """The mean rate of the slice between each pair of bounds (in `UNIT_PPM_S`).

        A bin that a bound cuts counts by its share, as if its rates were uniform. An empty slice gives its middle.
        """
        mass = _between(self.count, low, high)
        mean = _between(self.total, low, high) / np.where(mass > 0, mass, 1.0)
        return np.where(mass > 0, np.clip(mean, low, high), (low + high) / 2)


def _between(values: I64, low: F64, high: F64) -> F64:
    """The sum of the bins' values between the bounds."""
    upto = np.append(0, np.cumsum(values)).astype(np.float64)
    edges = np.arange(_BINS + 2) * _BIN
    return np.asarray(np.interp(high, edges, upto) - np.interp(low, edges, upto))


def rates_of(drop_ppm: I64, seconds: I64, step_ppm: I64, apriori: Apriori) -> I64:
    """The expected rate of each pair, in `UNIT_PPM_S`. `step_ppm` is the step of its client's level.

    A pair with an exact step has its own rate. A coarse level may be up to one step too high at either end. So the rate is at
    least max(0, drop − step) / seconds and at most (drop + step) / seconds.
    """
    rate = drop_ppm / seconds
    coarse = np.flatnonzero(step_ppm > EXACT_STEP_PPM)
    low, high = (np.maximum(drop_ppm + side * step_ppm, 0)[coarse] / seconds[coarse] for side in (-1, 1))
    rate[coarse] = UNIT_PPM_S * apriori.expected(low / UNIT_PPM_S, high / UNIT_PPM_S)
    return _in_units(rate)


def _in_units(rate_ppm_s: F64) -> I64:
    return np.minimum(np.rint(rate_ppm_s / UNIT_PPM_S), MAX_RATE).astype(np.int64)


@dataclass(frozen=True, slots=True)
class AprioriTask(BucketTask):
    """The exact rates of a bucket's clients."""

    file: Path
    inputs: str
    steps: LevelSteps

    def run(self) -> None:
        rates = []
        for job, table in samples_of(self.jobs, PAIR_COLUMNS):
            _, pairs, row, step = unit_pairs(ordered(table), job.begins_s, self.steps)
            exact = row[(step > 0) & (step <= EXACT_STEP_PPM)]
            rates.append(_in_units(pairs.drop_ppm[exact] / pairs.seconds[exact]))
        Apriori.from_rates(np.concatenate(rates)).write(self.file, self.inputs)


@dataclass(frozen=True, slots=True)
class SumsTask(BucketTask):
    """Sums the rates of a bucket's units by client and app. Clients whose level never changed are left out."""

    inputs: str
    steps: LevelSteps
    apriori: Apriori
    app_of: NDArray[np.int32]

    def run(self) -> None:
        for job, table in samples_of(self.jobs, [*PAIR_COLUMNS, "apps"]):
            write_table(job.file(FOLDER), self._sums(ordered(table), job.begins_s), self.inputs)

    def _sums(self, table: pa.Table, begins_s: int) -> pa.Table:
        samples, pairs, row, step = unit_pairs(table, begins_s, self.steps)
        row, step = row[step > 0], step[step > 0]
        rate = rates_of(pairs.drop_ppm[row], pairs.seconds[row], step, self.apriori)
        amounts = np.zeros((len(NAMES), len(samples.client)))
        amounts[:, row] = np.ones(len(row)), rate, rate * rate
        lists, size = app_lists(table["apps"], self.app_of), int(self.app_of.max(initial=-1)) + 1
        rows = ClientColumns(SUMS)
        for part in client_blocks(samples.client, lists.offset, size):
            for own in matrices(samples.client[part], [lists.of(part)], size):
                begin, (at,) = part.start + own.samples.start, own.values
                sums = amounts[:, begin + 1 : begin + at.shape[1]] @ np.maximum(at[:, 1:], at[:, :-1]).T
                ran = np.flatnonzero(sums[0])
                rows.add(int(samples.client[begin]), own.app[ran], *sums[:, ran])
        first = first_samples(samples.client)
        whole = np.add.reduceat(amounts, first, axis=1).astype(np.int64)
        all_pairs = pa.table([samples.client[first], pa.nulls(len(first), pa.int32()), *whole], schema=SUMS)
        return pa.concat_tables([rows.table(), all_pairs])


def bring_up_to_date(fleet: Fleet) -> None:
    """Compute the distribution of exact rates, then the sums of all units. Any change of samples changes all of them."""
    inputs = f"{_VERSION} {fingerprint(*(part for job in fleet.jobs for part in job.parts))}"
    files = {bucket: fleet.store.work / FOLDER / f"apriori-{bucket:03d}.parquet" for bucket in fleet.buckets}

    steps = cache(partial(LevelSteps.of, fleet))
    apriori = cache(lambda: Apriori.read(*files.values()))

    def exact() -> list[AprioriTask]:
        left = [bucket for bucket, file in files.items() if not is_made_from(file, inputs)]
        return [AprioriTask(fleet.bucket_jobs(bucket), files[bucket], inputs, steps()) for bucket in left]

    def sums() -> list[SumsTask]:
        left = [job for job in fleet.jobs if not is_made_from(job.file(FOLDER), inputs)]
        buckets = [tuple(job for job in left if job.unit.bucket == bucket) for bucket in files]
        return [SumsTask(jobs, inputs, steps(), apriori(), fleet.app_of) for jobs in buckets if jobs]

    run_stage(fleet, exact)
    run_stage(fleet, sums)

"""When call paths and owners used their energy, in whole microjoules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.analyze.energy_by_step import RunSteps, energy_by_step
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.calls.paths import OUTSIDE
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.curves import group_starts, in_sorted
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import CallSteps
from navitas.recording.parse.arrays import F64, I64, ColumnTable
from navitas.report.whole_energy import whole_energy

_NO_STEPS = CallSteps(*(np.empty(0, np.int32),) * 4, np.empty(0))


@dataclass(frozen=True, slots=True)
class EnergyUses(ColumnTable):
    """Microjoules above 0, by test, owner and call path. `path` is `OUTSIDE` for energy outside of calls with probes."""

    test: I64
    owner: I64
    path: I64
    uj: I64


@dataclass(frozen=True, slots=True)
class ThreadSamples(ColumnTable):
    """Microjoules above 0, by time in ns (CLOCK_MONOTONIC)."""

    test: I64
    owner: I64
    t_ns: F64
    path: I64
    uj: I64


def energy_uses(profile: Profile) -> EnergyUses:
    """Return the energy of all tests but those of baseline runs, summed over components."""
    tables, ledger = profile.tables, profile.ledger
    energy, trees, threads, run = whole_energy(tables), tables.trees, tables.threads, ledger.tests.run
    kinds = np.flatnonzero(ledger.owners.kind != OwnerKind.THREAD)
    owner_of = np.full((len(ledger.runs) + 1, len(OwnerKind)), -1)
    owner_of[ledger.owners.run[kinds], ledger.owners.kind[kinds]] = kinds
    tests, outside = np.arange(len(ledger.tests)), np.full(len(threads.test), OUTSIDE)
    others = [
        EnergyUses(tests, owner_of[run, kind], np.full(len(tests), OUTSIDE), energy.other_uj[:, kind].sum(axis=1))
        for kind in OwnerKind
    ]
    of_calls = EnergyUses(threads.test[trees.tree], threads.owner[trees.tree], trees.path, energy.node_uj.sum(axis=1))
    of_threads = EnergyUses(threads.test, threads.owner, outside, energy.thread_uj.sum(axis=1))
    uses = EnergyUses.joined([of_calls, of_threads, *others])
    return uses.chosen((uses.uj > 0) & (run[uses.test] >= 0) & ~tables.is_baseline[uses.test])


def thread_samples(profile: Profile, uses: EnergyUses, run: RunSteps) -> ThreadSamples:
    """Spread the uses of a run over the steps in which they happened; into the middle of a test if that is unknown.

    Samples of one step follow one another in the order of their paths: their order within the step is not known.
    """
    ledger = profile.ledger
    uses = uses.chosen(ledger.tests.run[uses.test] == run.row)
    start_ns, end_ns = ledger.tests.start_ns, ledger.tests.end_ns
    use, step, uj = _spread(uses, *_shares(profile, uses, run))
    middle = run.step_of((start_ns + end_ns) // 2)[uses.test[use]]
    step = np.where(step < 0, middle, step)
    order = np.lexsort((uses.path[use], step, uses.test[use], uses.owner[use]))
    use, step, uj = use[order], step[order], uj[order]
    test, owner = uses.test[use], uses.owner[use]
    first = np.flatnonzero(group_starts(owner, test, step))
    size = np.diff(np.append(first, len(use)))
    fraction = (np.arange(len(use)) - np.repeat(first, size) + 0.5) / np.repeat(size, size)
    low_ns = np.maximum(run.edges_ns[step], start_ns[test])
    high_ns = np.maximum(np.minimum(run.edges_ns[step + 1], end_ns[test]), low_ns)
    samples = ThreadSamples(test, owner, low_ns + fraction * (high_ns - low_ns), uses.path[use], uj)
    return samples.chosen(np.argsort(samples.t_ns, kind="stable"))


def _shares(profile: Profile, uses: EnergyUses, run: RunSteps) -> tuple[I64, I64, F64]:
    """Return rows of `uses`, steps, and the joules that show how a use is spread; step -1 for a use without any."""
    ledger = profile.ledger
    calls = _NO_STEPS if ledger.call_steps is None else ledger.call_steps
    is_shown = np.zeros(len(ledger.tests), bool)
    is_shown[uses.test] = True
    path, pairs, step, joules = energy_by_step(ledger, calls.chosen(is_shown[calls.test]), is_shown, run)
    width, key = len(ledger.paths), (uses.test * len(ledger.owners) + uses.owner) * len(ledger.paths) + uses.path
    order = np.argsort(key)
    wanted = pairs * width + path
    matched = np.flatnonzero(in_sorted(wanted, key[order]) & (joules > 0))
    use = order[np.searchsorted(key[order], wanted[matched])] if len(matched) else matched
    without = np.setdiff1d(np.arange(len(uses)), use)
    return (
        np.append(use, without),
        np.append(step[matched], np.full(len(without), -1)),
        np.append(joules[matched], np.ones(len(without))),
    )


def _spread(uses: EnergyUses, use: I64, step: I64, joules: F64) -> tuple[I64, I64, I64]:
    """Split the whole microjoules of each use in proportion to joules. Returns rows of `uses`, steps and microjoules above 0."""
    order = np.lexsort((step, use))
    use, step, joules = use[order], step[order], joules[order]
    first = np.flatnonzero(group_starts(use))
    size = np.diff(np.append(first, len(use)))
    shares = joules / binned(use, joules, len(uses))[use]
    sums = np.cumsum(shares)
    sums -= np.repeat(sums[first] - shares[first], size)
    ends = np.minimum(np.rint(sums * uses.uj[use]).astype(np.int64), uses.uj[use])
    ends[first + size - 1] = uses.uj[use[first]]
    starts = np.append(0, ends[:-1])
    starts[first] = 0
    uj = ends - starts
    return use[uj > 0], step[uj > 0], uj[uj > 0]

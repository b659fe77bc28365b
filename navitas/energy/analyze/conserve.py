"""Checks that energy is conserved: that the sums over a ledger agree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from navitas.energy.analyze.handed_work import counted_rows
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.curves import in_sorted
from navitas.energy.attribute.forest import binned, sums
from navitas.energy.attribute.ledger import NO_OWNER, NO_TEST
from navitas.recording.parse.arrays import F64, Bool

TOLERANCE = 1e-9


def check(profile: Profile) -> list[str]:
    """Return a message for each sum with a relative error above 1e-9. The list is empty if energy is conserved."""
    return [
        *_check_runs(profile),
        *_check_flows(profile),
        *_check_owners(profile),
        *_check_threads(profile),
        *_check_trees(profile),
        *_check_handed_work(profile),
        *_check_starters(profile),
    ]


def _check_runs(profile: Profile) -> Iterator[str]:
    """Compare the facts of each run and component with its curves, with and without compensation for probes."""
    ledger, energy = profile.ledger, profile.ledger.energy
    components = len(ledger.components)
    cell = ledger.owners.run[energy.owner] * components + energy.component
    expected_j = ledger.run_energy_j
    for what, joules in (("exclusive", energy.exclusive_j), ("raw", energy.raw_j)):
        sums_j = binned(cell, joules, expected_j.size).reshape(expected_j.shape)
        for run, component in np.argwhere(_differs(sums_j, expected_j, np.abs(expected_j))).tolist():
            subject = f"runs/{ledger.runs[run].id}, {ledger.components[component]}: {what} energies"
            yield _message(subject, sums_j[run, component], expected_j[run, component])


def _check_flows(profile: Profile) -> Iterator[str]:
    """Compare the energy that flowed in each run and component with the energy of all owners."""
    ledger = profile.ledger
    for run, entry in enumerate(ledger.runs):
        of_run = np.flatnonzero(ledger.owners.run == run)
        for component, name in enumerate(ledger.components):
            flow = ledger.curves.flow(int(of_run[0]), component) if len(of_run) else None
            if flow is not None:
                flowed_j, expected_j = flow.between(entry.start_ns, entry.end_ns), float(ledger.run_energy_j[run, component])
                if not abs(flowed_j - expected_j) <= TOLERANCE * abs(expected_j):
                    yield _message(f"runs/{entry.id}, {name}: flows of energy", flowed_j, expected_j)


def _check_owners(profile: Profile) -> Iterator[str]:
    """Compare the facts of each owner that is not a thread with its curves, over the whole run."""
    ledger, energy = profile.ledger, profile.ledger.energy
    components = len(ledger.components)
    sums_j = binned(
        energy.owner.astype(np.int64) * components + energy.component, energy.exclusive_j, len(ledger.owners) * components
    )
    for owner in np.flatnonzero(ledger.owners.kind != OwnerKind.THREAD).tolist():
        run = int(ledger.owners.run[owner])
        entry = ledger.runs[run]
        for component, name in enumerate(ledger.components):
            sum_j = float(sums_j[owner * components + component])
            expected_j = ledger.curves.curve(owner, component).between(entry.start_ns, entry.end_ns)
            # Energy outside tests is a difference of run totals, so its rounding error scales with the run's energy.
            if abs(sum_j - expected_j) > TOLERANCE * max(abs(expected_j), abs(float(ledger.run_energy_j[run, component]))):
                yield _message(f"runs/{entry.id}, {ledger.owners.name[owner]}, {name}: energies", sum_j, expected_j)


def _check_threads(profile: Profile) -> Iterator[str]:
    """Compare the energy of each thread's call paths, by test and component, with the thread's curve."""
    ledger, energy, shares = profile.ledger, profile.ledger.energy, profile.ledger.shares
    owners, components = len(ledger.owners), len(ledger.components)
    in_tests = (energy.test != NO_TEST) & (ledger.owners.kind[energy.owner] == OwnerKind.THREAD)
    key = shares.test.astype(np.int64) * owners + shares.owner
    row = np.searchsorted(key, energy.test[in_tests].astype(np.int64) * owners + energy.owner[in_tests])
    cell = row * components + energy.component[in_tests]
    facts_j = energy.exclusive_j[in_tests]
    sums_j, sizes_j = (
        binned(cell, each, shares.energy_j.size).reshape(shares.energy_j.shape) for each in (facts_j, abs(facts_j))
    )
    # The energy of a nearly idle thread can be below the rounding error of its test, or of its probes.
    expected_j = profile.tables.tests_by_kind.sum(axis=1)[shares.test]
    scale = np.maximum(sizes_j, TOLERANCE * np.abs(expected_j))
    for share, component in np.argwhere(_differs(sums_j, shares.energy_j, scale)).tolist():
        test, owner = int(shares.test[share]), int(shares.owner[share])
        tests = ledger.tests
        subject = f"test {tests.class_name[test]}#{tests.method[test]} in runs/{tests.run_id[test]}, thread "
        subject += f"{ledger.owners.name[owner]}, {ledger.components[component]}: energies of call paths"
        yield _message(subject, sums_j[share, component], shares.energy_j[share, component])


def _check_trees(profile: Profile) -> Iterator[str]:
    """Compare the inclusive energy of each call tree's roots with the self energy of all its nodes."""
    trees = profile.tables.trees
    roots, size = trees.parent < 0, len(trees.order)
    for number, component in enumerate(profile.components):
        inclusive = binned(trees.tree[roots], trees.inclusive_j[roots, number], size)
        exclusive = binned(trees.tree, trees.exclusive_j[:, number], size)
        scale = binned(trees.tree, np.abs(trees.exclusive_j[:, number]), size)
        for tree in np.flatnonzero(_differs(inclusive, exclusive, scale)).tolist():
            yield _message(f"call tree {tree}, {component}: inclusive energies of roots", inclusive[tree], exclusive[tree])


def _check_handed_work(profile: Profile) -> Iterator[str]:
    """Check that the work handed to each thread has at most the thread's energy, by test and component."""
    ledger, handed, energy = profile.ledger, profile.ledger.handed, profile.ledger.energy
    owners, components = len(ledger.owners), len(ledger.components)
    # Tests begin at 1, since `NO_TEST` is -1.
    work = np.flatnonzero(handed.owner != NO_OWNER)
    key, place = np.unique((handed.test[work] + 1).astype(np.int64) * owners + handed.owner[work], return_inverse=True)
    handed_j = sums(place, handed.energy_j[work], len(key))
    fact = (energy.test + 1).astype(np.int64) * owners + energy.owner
    rows = np.flatnonzero(in_sorted(fact, key))
    cell = np.searchsorted(key, fact[rows]) * components + energy.component[rows]
    thread_j = binned(cell, energy.raw_j[rows], handed_j.size).reshape(handed_j.shape)
    # Energy outside tests is a difference of run totals, so its rounding error scales with the run's energy.
    scale = np.maximum(np.abs(thread_j), np.abs(ledger.run_energy_j[ledger.owners.run[key % owners]]))
    for row, component in np.argwhere(~(handed_j <= thread_j + TOLERANCE * scale)).tolist():
        owner = int(key[row] % owners)
        subject = f"runs/{ledger.runs[int(ledger.owners.run[owner])].id}, thread {ledger.owners.name[owner]}"
        joules = f"{float(handed_j[row, component])!r} J, more than its {float(thread_j[row, component])!r} J"
        yield f"{subject}, {ledger.components[component]}: the work handed to it has {joules}"


def _check_starters(profile: Profile) -> Iterator[str]:
    """Compare the sums of handed work by starter with those of all handed work."""
    ledger, handed, found = profile.ledger, profile.ledger.handed, profile.handed_work()
    rows = counted_rows(ledger)
    for number, component in enumerate(ledger.components):
        sum_j, expected_j = sum(one.components[number] for one in found), float(handed.energy_j[rows, number].sum())
        if not abs(sum_j - expected_j) <= TOLERANCE * abs(expected_j):
            yield _message(f"handed work, {component}: energies of starters", sum_j, expected_j)
    for what, values, column in (
        ("tasks", [one.tasks for one in found], handed.tasks),
        ("nanoseconds", [one.run_ns for one in found], handed.run_ns),
    ):
        if sum(values) != int(column[rows].sum()):
            yield f"handed work: {what} of starters add up to {sum(values)}, not {int(column[rows].sum())}"


def _differs(sums_j: F64, expected_j: F64, scale: F64) -> Bool:
    return np.asarray(~(np.abs(sums_j - expected_j) <= TOLERANCE * scale))


def _message(subject: str, sum_j: float, expected_j: float) -> str:
    return f"{subject} add up to {float(sum_j)!r} J, not {float(expected_j)!r} J"

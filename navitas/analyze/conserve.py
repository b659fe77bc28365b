"""Energy is conserved: the sums that must agree in every ledger, checked once for all reports."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from navitas.analyze.profile import Profile
from navitas.attribute.forest import binned
from navitas.attribute.ledger import NO_TEST
from navitas.attribute.owner_kind import OwnerKind
from navitas.parse.arrays import F64, Bool

TOLERANCE = 1e-9


def check(profile: Profile) -> list[str]:
    """Every sum that is off by more than 1e-9 of its total, in words; empty when energy is conserved."""
    return [*_of_runs(profile), *_of_owners(profile), *_of_threads(profile), *_of_trees(profile)]


def _of_runs(profile: Profile) -> Iterator[str]:
    """Facts of a run and component against the curves, with the probes' energy moved or not."""
    ledger, energy = profile.ledger, profile.ledger.energy
    components = len(ledger.components)
    cell = ledger.owners.run[energy.owner] * components + energy.component
    whole_j = ledger.run_energy_j
    for what, joules in (("exclusive", energy.exclusive_j), ("raw", energy.raw_j)):
        found = binned(cell, joules, whole_j.size).reshape(whole_j.shape)
        for run, component in np.argwhere(_off(found, whole_j, np.abs(whole_j))).tolist():
            place = f"runs/{ledger.runs[run].id}, {ledger.components[component]}: {what} energies"
            yield _words(place, found[run, component], whole_j[run, component])


def _of_owners(profile: Profile) -> Iterator[str]:
    """Facts of the owners that are no threads, over a run's tests and the time outside of them, against their curves."""
    ledger, energy = profile.ledger, profile.ledger.energy
    components = len(ledger.components)
    found = binned(
        energy.owner.astype(np.int64) * components + energy.component, energy.exclusive_j, len(ledger.owners) * components
    )
    for owner in np.flatnonzero(ledger.owners.kind != OwnerKind.THREAD).tolist():
        run = int(ledger.owners.run[owner])
        entry = ledger.runs[run]
        for component, name in enumerate(ledger.components):
            found_j = float(found[owner * components + component])
            whole_j = ledger.curves.curve(owner, component).between(entry.start_ns, entry.end_ns)
            # The rest of a run is a difference of its whole: its rounding is that of the run.
            if abs(found_j - whole_j) > TOLERANCE * max(abs(whole_j), abs(float(ledger.run_energy_j[run, component]))):
                yield _words(f"runs/{entry.id}, {ledger.owners.name[owner]}, {name}: energies", found_j, whole_j)


def _of_threads(profile: Profile) -> Iterator[str]:
    """Energies of a thread's call paths in a test and component against its curve."""
    ledger, energy, shares = profile.ledger, profile.ledger.energy, profile.ledger.shares
    owners, components = len(ledger.owners), len(ledger.components)
    own = (energy.test != NO_TEST) & (ledger.owners.kind[energy.owner] == OwnerKind.THREAD)
    key = shares.test.astype(np.int64) * owners + shares.owner
    row = np.searchsorted(key, energy.test[own].astype(np.int64) * owners + energy.owner[own])
    cell = row * components + energy.component[own]
    found = binned(cell, energy.exclusive_j[own], shares.energy_j.size).reshape(shares.energy_j.shape)
    # A thread that used next to nothing may lie within the rounding of its test.
    whole_j = profile.tables.tests_by_kind.sum(axis=1)[shares.test]
    scale = np.maximum(np.abs(shares.energy_j), TOLERANCE * np.abs(whole_j))
    for share, component in np.argwhere(_off(found, shares.energy_j, scale)).tolist():
        test, owner = int(shares.test[share]), int(shares.owner[share])
        tests = ledger.tests
        place = f"test {tests.class_name[test]}#{tests.method[test]} in runs/{tests.run_id[test]}, thread "
        place += f"{ledger.owners.name[owner]}, {ledger.components[component]}: energies of call paths"
        yield _words(place, found[share, component], shares.energy_j[share, component])


def _of_trees(profile: Profile) -> Iterator[str]:
    """Inclusive energies of call trees' roots against the exclusive ones of all their nodes."""
    trees = profile.tables.trees
    roots, size = trees.parent < 0, len(trees.order)
    for number, component in enumerate(profile.components):
        inclusive = binned(trees.tree[roots], trees.inclusive_j[roots, number], size)
        exclusive = binned(trees.tree, trees.exclusive_j[:, number], size)
        scale = binned(trees.tree, np.abs(trees.exclusive_j[:, number]), size)
        for tree in np.flatnonzero(_off(inclusive, exclusive, scale)).tolist():
            yield _words(f"call tree {tree}, {component}: inclusive energies of roots", inclusive[tree], exclusive[tree])


def _off(found: F64, expected: F64, scale: F64) -> Bool:
    return np.asarray(~(np.abs(found - expected) <= TOLERANCE * scale))


def _words(what: str, found: float, expected: float) -> str:
    return f"{what} add up to {float(found)!r} J, not {float(expected)!r} J"

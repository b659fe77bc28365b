"""Power over time for the page: by component, and by the threads with the most energy."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from navitas.energy.analyze.bounded_tree import NON_THREADS
from navitas.energy.analyze.energy_by_step import RunSteps, run_steps
from navitas.energy.analyze.timeline import round_step_ns
from navitas.energy.attribute.component import OwnerKind
from navitas.recording.parse.arrays import F64, I64
from navitas.report.page.page_basis import PageBasis, thread_label

_MAX_RUNS = 20
_MAX_STEPS = 500
_MAX_THREADS = 8
_OTHER = "(other)"


def page_runs(basis: PageBasis) -> list[RunSteps]:
    """Return the runs of the listed tests, each in its typical run; without tests, the first runs."""
    ledger = basis.profile.ledger
    rows = dict.fromkeys(int(ledger.tests.run[group.typical.rows[0]]) for group in basis.listed)
    chosen = [row for row in rows if row >= 0] or [row for row, run in enumerate(ledger.runs) if not run.baseline]
    runs = [(row, ledger.runs[row]) for row in sorted(chosen[:_MAX_RUNS])]
    return [run_steps(row, run) for row, run in runs if run.end_ns > run.start_ns]


def power_columns(basis: PageBasis, runs: list[RunSteps], most: int) -> list[dict[str, Any]]:
    """Return the power of each run in steps, in mW, with about `most` values in all."""
    if not runs:
        return []
    names = _threads(basis)
    columns = len(basis.profile.components) + len(names) + 2
    steps = max(min(most // columns // len(runs), _MAX_STEPS), 2)
    return [_power(basis, number, run, names, steps) for number, run in enumerate(runs)]


def _threads(basis: PageBasis) -> dict[str, str]:
    """Return the threads with the most energy: what the page calls each, by name."""
    tree = basis.tree
    joules = np.bincount(tree.thread, tree.self_by.sum(axis=1), len(tree.threads))
    other = {role for _, role in NON_THREADS.values()}
    ranked = [tree.threads[number] for number in np.argsort(-joules, kind="stable").tolist() if joules[number] > 0]
    labels = {name: thread_label(name, role) for name, role in ranked if name and role not in other}
    return dict(islice(labels.items(), _MAX_THREADS))


def _power(basis: PageBasis, number: int, run: RunSteps, names: dict[str, str], steps: int) -> dict[str, Any]:
    profile = basis.profile
    step_ns = round_step_ns(run.end_ns - run.start_ns, steps)
    total = profile.timelines(run=run.id, step_ns=step_ns)
    watts = total.power_w
    rest = watts.sum(axis=1)
    threads: dict[str, F64] = {}
    of_run = {profile.ledger.owners.name[owner] for owner in np.flatnonzero(profile.ledger.owners.run == run.row).tolist()}
    for name, label in names.items():
        if name in of_run:
            power_w = profile.timelines(run=run.id, step_ns=step_ns, thread=name).power_w.sum(axis=1)
            rest = rest - power_w
            threads[label] = threads.get(label, 0.0) + power_w
    base_w = _base_w(basis, run, total.edges_ns)
    threads[NON_THREADS[OwnerKind.BASE][0]] = base_w
    threads[_OTHER] = np.maximum(rest - base_w, 0.0)
    return {
        "run": number,
        "start_ms": 0,
        "step_ms": step_ns / 1e6,
        "components": {name: _milliwatts(column) for name, column in zip(total.components, watts.T, strict=True)},
        "threads": {label: _milliwatts(power_w) for label, power_w in threads.items()},
    }


def _base_w(basis: PageBasis, run: RunSteps, edges_ns: I64) -> F64:
    ledger = basis.profile.ledger
    owners = np.flatnonzero((ledger.owners.run == run.row) & (ledger.owners.kind == OwnerKind.BASE)).tolist()
    joules = np.zeros(len(edges_ns) - 1)
    for owner in owners:
        for component in range(len(ledger.components)):
            joules += np.diff(ledger.curves.curve(owner, component).at(edges_ns))
    return np.asarray(joules / (np.diff(edges_ns) / 1e9), np.float64)


def _milliwatts(watts: F64) -> list[float]:
    return [float(f"{value:.4g}") for value in (watts * 1e3).tolist()]

"""Components that rails show in use, of a recording without data of who used them."""

from __future__ import annotations

from collections import defaultdict

from navitas.attribute.ledger import Ledger

_LEAST_SHARE = 0.05
_NOT_BY_CALLS = ("screen", "gpu")
"""Components that no call of the app uses."""


def unrecorded(ledger: Ledger) -> tuple[tuple[str, float], ...]:
    """Return components with the joules that their rails measured above the lowest power, most first.

    Only those with at least 5 % of the energy of all runs. Empty without rails, or if the use of components was recorded.
    """
    found: defaultdict[str, float] = defaultdict(float)
    for name, joules in (use for run in ledger.runs if not run.baseline for use in run.unrecorded_j):
        if name not in _NOT_BY_CALLS:
            found[name] += joules
    least_j = _LEAST_SHARE * float(ledger.run_energy_j.sum())
    ranked = sorted(found.items(), key=lambda use: -use[1])
    return tuple((name, joules) for name, joules in ranked if joules > 0 and joules >= least_j)

"""Reference implementation of placement: loops, no numpy, no code shared with navitas.

Written from docs/how-it-measures.md, "Which cluster a thread ran on".
"""

from __future__ import annotations

from dataclasses import dataclass

FITTING_ROUNDS = 30
PLACEMENT_ROUNDS = 3
MIN_NEED = 1e-3


@dataclass
class Entry:
    """A thread's work in a slot: CPU ns, recent share of a core's time, shares on clusters. `thread` -1: all other CPU time."""

    thread: int
    slot: int
    spent: float
    busy: float
    share: list[float]


def place(
    entries: list[Entry],
    governed: list[list[float]],
    speeds: list[list[float]],
    ranks: list[int],
    grown: list[tuple[list[float], int]] | None,
) -> None:
    """Set every entry's `share`. `grown` has, by slot, the clusters' growth in its stretch of /proc/stat, and the stretch."""
    for entry in entries:
        entry.share = list(governed[entry.slot])
    if grown is None:
        return
    needs = [entry.busy for entry in entries]
    for _ in range(PLACEMENT_ROUNDS):
        for entry, need in zip(entries, needs, strict=True):
            row = [weight * max(need, MIN_NEED) ** (2.0 * rank) for weight, rank in zip(governed[entry.slot], ranks, strict=True)]
            entry.share = [value / sum(row) for value in row]
        fit(entries, grown)
        needs = [e.busy * sum(p * v for p, v in zip(e.share, speeds[e.slot], strict=True)) for e in entries]


def fit(entries: list[Entry], grown: list[tuple[list[float], int]]) -> None:
    """Iterative proportional fitting."""
    stretches: dict[int, list[Entry]] = {}
    for entry in entries:
        stretches.setdefault(grown[entry.slot][1], []).append(entry)
    for members in stretches.values():
        growth = grown[members[0].slot][0]
        total = sum(max(entry.spent, 1.0) for entry in members)
        for _ in range(FITTING_ROUNDS):
            for k, value in enumerate(growth):
                now = sum(max(entry.spent, 1.0) * entry.share[k] for entry in members)
                for entry in members:
                    entry.share[k] *= value / sum(growth) * total / max(now, 1e-9)
            for entry in members:
                row = max(sum(entry.share), 1e-300)
                entry.share = [value / row for value in entry.share]

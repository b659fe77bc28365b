"""Which cluster each thread ran on, slow and plain: loops, no numpy, no shared code. Written from docs/how-it-measures.md."""

from __future__ import annotations

from dataclasses import dataclass

ROUNDS = 30
GUESSES = 3
LEAST_NEED = 1e-3


@dataclass
class Entry:
    """A thread's work in a slot (`thread` -1: all else): ns, part of a core that it used of late, parts on clusters."""

    thread: int
    slot: int
    spent: float
    busy: float
    part: list[float]


def place(
    entries: list[Entry],
    governed: list[list[float]],
    speeds: list[list[float]],
    ranks: list[int],
    grown: list[tuple[list[float], int]] | None,
) -> None:
    """Fill in every entry's `part`; `grown` are by slot the clusters' growth in /proc/stat's stretch and its number."""
    for entry in entries:
        entry.part = list(governed[entry.slot])
    if grown is None:
        return
    needs = [entry.busy for entry in entries]
    for _ in range(GUESSES):
        for entry, need in zip(entries, needs, strict=True):
            row = [
                weight * max(need, LEAST_NEED) ** (2.0 * rank) for weight, rank in zip(governed[entry.slot], ranks, strict=True)
            ]
            entry.part = [value / sum(row) for value in row]
        fit(entries, grown)
        needs = [e.busy * sum(p * v for p, v in zip(e.part, speeds[e.slot], strict=True)) for e in entries]


def fit(entries: list[Entry], grown: list[tuple[list[float], int]]) -> None:
    """Iterative proportional fitting."""
    stretches: dict[int, list[Entry]] = {}
    for entry in entries:
        stretches.setdefault(grown[entry.slot][1], []).append(entry)
    for members in stretches.values():
        growth = grown[members[0].slot][0]
        total = sum(max(entry.spent, 1.0) for entry in members)
        for _ in range(ROUNDS):
            for k, value in enumerate(growth):
                now = sum(max(entry.spent, 1.0) * entry.part[k] for entry in members)
                for entry in members:
                    entry.part[k] *= value / sum(growth) * total / max(now, 1e-9)
            for entry in members:
                row = max(sum(entry.part), 1e-300)
                entry.part = [value / row for value in entry.part]

"""What the app does in one run, drawn from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

DOWNLOADS = ("downloadPage", "downloadParts", "downloadRaw")
UPLOADS = ("uploadForm", "uploadRaw")
WRITES = ("writeStream", "writeRandom", "writeChannel")
COMPUTES = ("hash", "sort")
IDLE = "rest"
NETWORK = DOWNLOADS + UPLOADS
LANES = ("lane-1", "lane-2", "lane-3")
TAIL_NS = 400_000_000
"""No tail of the phone's Wi-Fi and storage is longer."""
_KIB = 1 << 10
# The range of each phase's amount: bytes, rounds of work, or ms of rest.
_AMOUNTS = {
    **dict.fromkeys(NETWORK, (400 * _KIB, 2400 * _KIB)),
    **dict.fromkeys(WRITES, (4096 * _KIB, 16384 * _KIB)),
    **dict.fromkeys(COMPUTES, (100_000, 400_000)),
    IDLE: (300, 1500),
}


@dataclass(frozen=True, slots=True)
class PlannedPhase:
    """A call of `method` with `amount`, by the thread `lane`."""

    lane: str
    method: str
    amount: int


def make_plan(seed: int, scale: float = 1.0) -> list[PlannedPhase]:
    """Return phases in random order and of random size: each method twice, and rests between them."""
    random = Random(seed)
    methods = [*NETWORK, *WRITES, *COMPUTES] * 2 + [IDLE] * 9
    random.shuffle(methods)
    phases = []
    for number, method in enumerate(methods):
        low, high = _AMOUNTS[method]
        phases.append(PlannedPhase(LANES[number % len(LANES)], method, max(1, round(random.uniform(low, high) * scale))))
    return phases


def write_plan(folder: Path, port: int, phases: Sequence[PlannedPhase]) -> None:
    """Write the plan, and an empty folder for the files of the run."""
    lines = [str(port), *(f"{phase.lane} {phase.method} {phase.amount}" for phase in phases)]
    (folder / "plan.txt").write_text("\n".join(lines) + "\n")
    files = folder / "files"
    files.mkdir(exist_ok=True)
    for path in files.iterdir():
        path.unlink()
    for name in ("phases.txt", "calls.txt"):
        (folder / name).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class RunLog:
    """What the app wrote about its run: its time and CPU time, and each phase with its start and end (CLOCK_MONOTONIC)."""

    start_ns: int
    end_ns: int
    cpu_ns: int
    phases: tuple[tuple[PlannedPhase, int, int], ...]


def read_log(folder: Path) -> RunLog:
    """Read phases.txt."""
    first, *lines = (folder / "phases.txt").read_text().splitlines()
    _, _, start, end, cpu = first.split()
    phases = []
    for line in lines:
        lane, method, begin, done, amount = line.split()
        phases.append((PlannedPhase(lane, method, int(amount)), int(begin), int(done)))
    return RunLog(int(start), int(end), int(cpu), tuple(phases))

"""The cost of counters of basic blocks: run time with them and without (needs a JDK)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, Figures, arguments

from navitas.capture.build.bridge import InstrumenterBridge, InstrumentInput, InstrumentOptions
from navitas.capture.build.java import jar

JAVA = ROOT / "tests/bench/java"
GAME = ROOT / "examples/game/src/main/java"
# The unit of work of each workload, and how many of them a round has.
WORK = {
    "methods": ("a call", 30_000_000),
    "loops": ("a step", 20_000_000),
    "recursion": ("a call", 7_049_155),
    "arrays": ("a step", 9_000_000),
    "game": ("a frame", 60),
}
PROGRAMS = ("Counted", "GameRounds")
# The limit is for a program like an app. `recursion` and `arrays` are the worst that can happen: methods and loops of a few
# instructions. They are measured without a limit.
MAX_RATIO = {"methods": 1.5, "loops": 1.5, "game": 1.5}


def main(argv: list[str]) -> int:
    """Print the ratio of each workload's least times, in processes that run in turns."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Counters of basic blocks")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = [*(JAVA / f"{program}.java" for program in PROGRAMS), *GAME.rglob("*.java")]
        subprocess.run(["javac", "-g", "-nowarn", "-d", folder / "plain", *sources], check=True)
        with InstrumenterBridge() as bridge:
            classes = InstrumentInput(folder / "plain", folder / "counted")
            bridge.instrument([classes], InstrumentOptions(probes="blocks"), folder / "map.json")
        plain: dict[str, int] = {}
        counted: dict[str, int] = {}
        for _ in range(1 if options.quick else 5):
            _least(plain, _run(folder / "plain", folder))
            _least(counted, _run(folder / "counted", folder))
    for work, (unit, times) in WORK.items():
        note = f"{(counted[work] - plain[work]) / times:+.2f} ns {unit}; without counters {plain[work] / times:.2f} ns"
        figures.add(f"{work}: time with counters", counted[work] / plain[work], "×", at_most=MAX_RATIO.get(work), note=note)
    return figures.close(options.check)


def _run(classes: Path, folder: Path) -> dict[str, int]:
    path = f"{classes}:{jar('navitas-runtime.jar')}:{jar('navitas-runtime-blocks.jar')}"
    settings = [f"-Dnavitas.out={folder / 'recorded'}", "-Dnavitas.blocks=true", "-Dnavitas.mode=none"]
    found: dict[str, int] = {}
    for program in PROGRAMS:
        done = subprocess.run(["java", *settings, "-cp", path, program], check=True, capture_output=True, text=True)
        found |= {name: int(ns) for name, ns in (line.split() for line in done.stdout.splitlines())}
    return found


def _least(kept: dict[str, int], measured: dict[str, int]) -> None:
    for name, ns in measured.items():
        kept[name] = min(ns, kept.get(name, ns))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

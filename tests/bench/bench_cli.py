"""The time of `navitas --help`, compared with a minimal click program (limit: 1.5 ×)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from common import Figures, arguments, compared_with, run_measured

_MINIMAL = """\
import click
@click.group()
def cli():
    "A minimal program."
@cli.command()
def one():
    "Do nothing."
cli(prog_name="minimal")
"""


def main(argv: list[str]) -> int:
    """Run both programs alternately, so that other load affects both, and compare the best times."""
    options = arguments(__doc__ or "", argv)
    with tempfile.TemporaryDirectory() as folder:
        minimal = Path(folder) / "minimal.py"
        minimal.write_text(_MINIMAL)
        programs = {"minimal": minimal, "navitas": Path(sys.executable).with_name("navitas")}
        best = dict.fromkeys(programs, float("inf"))
        for _ in range(8 if options.quick else 15):
            for name, path in programs.items():
                best[name] = min(best[name], run_measured([sys.executable, path, "--help"]).wall_s)
    figures = Figures("Command line")
    ratio = best["navitas"] / best["minimal"]
    note = compared_with(best["navitas"], best["minimal"], "a click program with one command")
    figures.add("navitas --help, ratio", ratio, "×", at_most=1.5, note=note)
    return figures.close(options.check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

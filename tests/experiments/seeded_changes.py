"""`navitas bisect` on seeded histories: 32 commits, of which one adds 10 % to the work of one of three methods.

For each history, prints whether the commit and the method were found, and the numbers of builds and turns. The commands run one
after another on the virtual phone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.seeded_history import SeededHistory, seeded_history

MAIN = "import sys; from navitas.cli.main import main; main()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--commits", type=int, default=32)
    parser.add_argument("--percent", type=int, default=10)
    parser.add_argument("options", nargs="*", help="options of navitas bisect, after --")
    arguments = parser.parse_args()
    table = Table("seed", "commit", "found", "method", "change %", "error %", "builds", "turns", "load", "s")
    good = 0
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.histories):
        with tempfile.TemporaryDirectory() as folder:
            made = seeded_history(Path(folder) / "pipeline", seed, count=arguments.commits, percent=arguments.percent)
            load, begin = os.getloadavg()[0], time.monotonic()
            result = bisected(made, arguments.options)
            seconds = time.monotonic() - begin
        found, named = [one["commit"] for one in result.get("found", [])], [one["name"] for one in result.get("methods", [])]
        is_found = found == [made.commit]
        good += is_found and named[:1] == [made.method] and result["builds"] <= 10
        change, error = result.get("change") or {}, result.get("error")
        row = (
            *(seed, made.index, _answer(is_found, f"{len(found)} commits"), _answer(named == [made.method], str(named))),
            *(f"{change.get('percent', 0):.1f}", "-" if error is None else f"{100 * error:.2g}"),
            *(result.get("builds", "-"), result.get("turns", "-"), f"{load:.1f}", f"{seconds:.0f}"),
        )
        table.add_row(*map(str, row))
        print(*row, sep="\t", flush=True)
    Console(width=160).print(table)
    print(f"commit and method found with at most 10 builds: {good} of {arguments.histories}")


def _answer(is_right: bool, otherwise: str) -> str:
    return "yes" if is_right else f"no: {otherwise}"


def bisected(made: SeededHistory, options: list[str]) -> dict[str, Any]:
    """Return the JSON of `navitas bisect`; empty if it failed."""
    command = [sys.executable, "-c", MAIN, "-q", "bisect", "good", "main", str(made.project), "--json", "-"]
    output = made.project.parent / "recordings"
    ran = subprocess.run([*command, "-o", str(output), *options], stdout=subprocess.PIPE, text=True, check=False)
    found: dict[str, Any] = json.loads(ran.stdout) if ran.returncode in (0, 1) and ran.stdout else {}
    return found


if __name__ == "__main__":
    main()

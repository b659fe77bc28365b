"""Judges the fleet's verdicts in simulated worlds of hard cases, by regime (docs/dev/fleet-world.md, "Hard cases").

`python tests/accuracy/hard_cases.py [--regime NAME] [--seeds N] [--phones N] [--keep FILE] [--write]`; exits with 1 if a target
is missed. `make fleet-accuracy` runs it. It reads what `navitas fleet` writes as JSON, and nothing of the package's inside.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import navitas.fleet  # noqa: F401  # isort: skip  # Before numpy, since it limits the threads of numpy's algebra.
import numpy as np
from case_table import HEAD, case_row, failed_figures
from world.regimes import HARD_CASES
from world.simulation import World, simulate
from world_counts import WorldCounts, app_counts
from world_score import DOC, kept, write_samples, write_section

from navitas.cli.main import run

_FROM, _TO = "<!-- tests/accuracy/hard_cases.py writes from here -->", "<!-- to here: hard cases -->"
# Development used other seeds.
_SEED, _SEEDS = 9431, 5
_LEAST_EXTRA, _ENOUGH_CLIENTS = 0.1, 20
_MANY_UPDATES = 10


def main(argv: Sequence[str]) -> int:
    """Simulate worlds, run `navitas fleet` on them, and judge its verdicts."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="\n".join(["regimes:", *(f"  {name}" for name in HARD_CASES)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--regime", action="append", choices=list(HARD_CASES), metavar="NAME", help="only this regime; repeatable"
    )
    parser.add_argument("--seeds", type=int, default=_SEEDS, metavar="N", help="worlds of each regime (%(default)s)")
    parser.add_argument("--first", type=int, default=_SEED, metavar="N", help="the first seed (%(default)s)")
    parser.add_argument("--phones", type=int, metavar="N", help="phones in a world (as the regime has)")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="reuse the results in this file, and add new ones")
    parser.add_argument("--write", action="store_true", help="write the table to docs/dev/fleet-world.md")
    options = parser.parse_args(argv)
    chosen = options.regime or list(HARD_CASES)
    total = {name: WorldCounts() for name in chosen}
    for seed in range(options.first, options.first + options.seeds):
        for name in chosen:
            regime = replace(HARD_CASES[name], phones=options.phones or HARD_CASES[name].phones)
            count = _counting(simulate(regime, seed), is_history=regime.is_history)
            total[name] += kept(options.keep, f"{name}, seed {seed}, {regime.phones} phones", WorldCounts, count)
    size = [f"Worlds of {options.phones} phones:", ""] if options.phones else []
    lines = [*size, *HEAD, *(case_row(name, counts, total.get("plain")) for name, counts in total.items())]
    failed = [f"{name}: {what}" for name, counts in total.items() for what in failed_figures(name, counts, total.get("plain"))]
    print("\n".join([*lines, *(f"missed: {text}" for text in failed or ["nothing"])]))
    if options.write:
        write_section(DOC, _FROM, _TO, lines)
    return int(bool(failed))


def _counting(world: World, *, is_history: bool) -> Callable[[], WorldCounts]:
    def count() -> WorldCounts:
        with tempfile.TemporaryDirectory(prefix="navitas-world-") as folder:
            return _counts(Path(folder), world, is_history=is_history)

    return count


def _counts(folder: Path, world: World, *, is_history: bool) -> WorldCounts:
    store, samples = folder / "store", folder / "samples"
    samples.mkdir()
    if is_history:
        for client, text in world.histories():
            (samples / client).write_text(text)
    else:
        write_samples(samples / "samples.parquet", world.samples())
    _fleet("ingest", store, samples, *(("--client", "{name}") if is_history else ()))
    _fleet("hogs", store, "--json", folder / "hogs.json")
    return verdict_counts(json.loads((folder / "hogs.json").read_text()), world) + _update_counts(folder, world)


def verdict_counts(hogs: dict[str, Any], world: World) -> WorldCounts:
    """Compare the verdicts on all apps with the truth. `hogs` is the JSON of `navitas fleet hogs`."""
    apps, effects = {row["app"]: row for row in world.apps.to_pylist()}, world.true_extra_percent_h
    rows = [row for row in hogs["verdicts"] if row["app"] in effects]
    low, extra, high = (
        np.array([unknown if row[name] is None else row[name] for row in rows], np.float64)
        for name, unknown in (("extra_low_percent_h", -np.inf), ("extra_percent_h", np.nan), ("extra_high_percent_h", np.inf))
    )
    true = np.array([effects[row["app"]] for row in rows])
    is_hog = np.array([apps[row["app"]]["is_hog"] for row in rows], bool)
    verdict = np.array([row["verdict"] for row in rows])
    role = np.array([apps[row["app"]]["role"] for row in rows])
    enough = np.array([row["clients"] >= _ENOUGH_CLIENTS for row in rows], bool)
    known, navigation = enough & np.isfinite(extra), role == "navigation"
    is_large, covered = true >= _LEAST_EXTRA * hogs["usual_drain_percent_h"], (low <= true) & (true <= high)
    return app_counts(
        is_hog=is_hog, is_large=is_large, enough=enough, verdict=verdict.tolist(), covered=covered, true=true, found=extra,
        role=role.tolist(),
    ) + WorldCounts(
        worlds=1,
        width_percent_h=float(np.median((high - low)[known])),
        harmless=int((known & ~is_hog).sum()),
        harmless_clean=int((known & ~is_hog & (verdict == "clean")).sum()),
        excluded_percent_h=float(np.median(high[known & ~is_hog])),
        navigation_found=float(extra[navigation].sum()),
        navigation_true=float(true[navigation].sum()),
    )  # fmt: skip


def _update_counts(folder: Path, world: World) -> WorldCounts:
    """Check all versions in worlds with many of them, or in which one comes with an OS upgrade."""
    apps = {row["app"]: row for row in world.apps.to_pylist()}
    with_upgrade = {app for app, row in apps.items() if row["role"] == "os-updated"}
    if not with_upgrade and sum(bool(row["since"]) for row in apps.values()) < _MANY_UPDATES:
        return WorldCounts()
    checked, chosen = folder / "check.json", [text for app in apps for text in ("--app", app)]
    _fleet("check", folder / "store", *chosen, "--fail-on", "above", "--json", checked, allowed=(0, 1))
    checks = json.loads(checked.read_text())["checks"]
    names = {
        "updates": [check for check in checks if check["app"] in with_upgrade and check["version"] == "1.1"],
        "versions": [check for check in checks if not apps[check["app"]]["is_hog"] and check["app"] not in with_upgrade],
        "first": [check for check in checks if apps[check["app"]]["since"] == check["version"]],
    }
    counts: dict[str, Any] = {name: len(rows) for name, rows in names.items()}
    counts |= {f"{name}_named": sum(row["drains_more"] for row in rows) for name, rows in names.items()}
    return WorldCounts(**counts)


def _fleet(command: str, *arguments: object, allowed: Sequence[int] = (0,)) -> None:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as said:
        code = run(["fleet", command, *map(str, arguments), "--quiet"])
    assert code in allowed, f"navitas fleet {command} ends with {code}: {said.getvalue()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

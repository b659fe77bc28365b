"""Tests on a quiet and on a busy host: what the warnings `starved` and `pace_changed` say (docs/dev/accuracy-measurements.md).

Profiles tests/accuracy/workloads on the virtual phone, first on the quiet host, then with `--loops` busy loops. Prints each
test's share of the CPU by repeat. Needs an otherwise quiet host: it prints the host's load before each half.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

import navitas
from navitas.capture.build.gradle import build_bundles
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.session import profile
from navitas.cli.habits.progress import ConsoleProgress
from navitas.recording.manifest import HostInfo, Provenance
from navitas.virtual_phone.start import virtual_phone

WORKLOADS = Path(__file__).resolve().parents[1] / "accuracy" / "workloads"
TESTS = ("polls", "works", "crowds", "sleeps", "caches")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--loops", type=int, default=2, help="busy loops during the second recording")
    parser.add_argument("--keep", type=Path, help="keep the recordings in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ConsoleProgress() as progress:
        project, out = Path(folder) / "workloads", arguments.keep or Path(folder)
        shutil.copytree(WORKLOADS, project, ignore=shutil.ignore_patterns("build", ".gradle"))
        bundles = build_bundles(project, on_line=progress.detail)
        provenance = Provenance(host=HostInfo(cpus=os.cpu_count()))
        with virtual_phone() as device:
            for name, loops in (("as it is", 0), (f"{arguments.loops} busy loops", arguments.loops)):
                (project / "cache.bin").unlink(missing_ok=True)
                recording = out / name.replace(" ", "-")
                load = os.getloadavg()[0]
                with busy_loops(loops):
                    for test in TESTS:
                        options = ProfileOptions(tests=(f"UnsteadyTest#{test}",), repeat=arguments.runs, provenance=provenance)
                        profile(device, bundles, options, recording / test, progress)
                print_uses(recording, f"{name} (load before: {load:.1f})")


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Processes that use all CPU time that they get."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def print_uses(recording: Path, title: str) -> None:
    """Print each test's share of the CPU, and the warnings."""
    table = Table("test", "wall s", "CPU s", "waited s", "starved %", "calls", "J", title=title)
    warnings = []
    for name in TESTS:
        found = navitas.load(recording / name)
        uses = [(test, found.cpu_use(test)) for test in found.tests]
        table.add_row(
            name,
            " ".join(f"{use.wall_ns / 1e9:.2f}" for _, use in uses),
            " ".join(f"{use.cpu_ns / 1e9:.2f}" for _, use in uses),
            " ".join("-" if use.waited_ns is None else f"{use.waited_ns / 1e9:.2f}" for _, use in uses),
            " ".join("-" if use.starved_share is None else f"{100 * use.starved_share:.0f}" for _, use in uses),
            " ".join(str(use.calls) for _, use in uses),
            " ".join(f"{test.energy_j:.2f}" for test, _ in uses),
        )
        warnings += [notice for notice in found.warnings if notice.code in ("starved", "pace_changed")]
    console = Console(width=200)
    console.print(table)
    for notice in warnings:
        console.print(f"{notice.code}: {notice.message}. {notice.remedy}")


if __name__ == "__main__":
    main()

"""Time and memory to make a JSON report and a page of a recording, by the number of events, of stack samples, and for huge call
trees and maps."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common import ROOT, Figures, Measured, arguments, compared_with, run_measured, shown
from support.big_recording import Mix, make_big_recording, make_deep_recording
from support.many_samples import make_sampled_recording, write_counted_stacks
from support.run_bytes import TID0

_NAVITAS = Path(sys.executable).with_name("navitas")
_LIMIT_MIB = 1536
_HUGE_LIMIT_MIB = {"map": 2048, "tests": 1024}
_FLOOR = """\
import sys
import numpy as np
from navitas.recording.parse.chunks import CALLS, read_chunks
steps = np.array([1, -1, -1, 1])
for path in sys.argv[1:]:
    depth = 0
    for chunk in read_chunks(__import__("pathlib").Path(path)).chunks:
        if chunk.type == CALLS:
            words = np.frombuffer(chunk.payload, "<u8")
            t_ns = (words & np.uint64((1 << 40) - 1)).astype(np.int64) + chunk.base_ns
            method = (words >> np.uint64(40)) & np.uint64((1 << 22) - 1)
            depth += int(np.cumsum(steps[words >> np.uint64(62)])[-1])
"""
"""The least work of any analysis: read the same files, check and decode them, and compute one running sum."""

_READ_SAMPLES = """\
import sys
from pathlib import Path
from navitas.recording.parse.jfr.read_jfr import read_jfr
read_jfr(Path(sys.argv[1]))
"""

_TO_PANDAS = """\
import sys, time
import pandas, pyarrow
import navitas
profile = navitas.load(sys.argv[1])
begin = time.perf_counter()
frame = profile.to_pandas()
print(time.perf_counter() - begin, len(frame))
"""


def main(argv: list[str]) -> int:
    """Make recordings, report each in a separate process, and compare times and peak memory."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Analysis (recording → JSON and terminal)")
    scale = 10 if options.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _by_events(figures, folder, scale)
        _of_samples(figures, folder / "samples", scale)
        _of_counted_stacks(figures, folder, scale)
        _huge(figures, folder, scale)
    return figures.close(options.check)


def _by_events(figures: Figures, folder: Path, scale: int) -> None:
    taken: dict[int, tuple[int, Measured]] = {}
    for millions in (1, 3, 10, 100):
        recording = folder / f"{millions}"
        events = make_big_recording(recording, millions * 1_000_000 // scale)
        found = _report(recording, rounds=1 if millions == 100 else 2)
        taken[millions] = events, found
        floor = run_measured([sys.executable, "-c", _FLOOR, *recording.glob("runs/*/*.nvch")])
        size = f"{events / 1e6:.1f} M events"
        note = (
            f"{compared_with(found.cpu_s, floor.cpu_s, 'read, check, decode, sum')} of CPU time; took {shown(found.cpu_s, 's')}"
        )
        figures.add(f"{size}, time", found.wall_s, "s", at_most=6.0 if millions == 10 else None, note=note)
        figures.add(f"{size}, peak memory", found.peak_mib, "MiB", at_most=_LIMIT_MIB if millions >= 10 else None)
        if millions == 10:
            _to_pandas(figures, recording, size)
            _page(figures, recording, size, found)
        shutil.rmtree(recording)
    each = [_each_ns(taken[low], taken[high]) for low, high in ((1, 3), (3, 10), (10, 100))]
    note = ", ".join(f"{ns:.0f} ns" for ns in each) + " of CPU an event more"
    growth = each[2] / _each_ns(taken[1], taken[10])
    figures.add("cost of an additional event, 10 M to 100 M compared with 1 M to 10 M", growth, "×", at_most=1.2, note=note)


def _of_samples(figures: Figures, recording: Path, scale: int) -> None:
    """Stack samples in a JFR file, of ten tests with 500 stacks each."""
    samples = make_sampled_recording(recording, 10_000_000 // scale)
    found = _report(recording, rounds=2)
    floor = run_measured([sys.executable, "-c", _READ_SAMPLES, *recording.glob("runs/0/*.jfr")])
    size, took = f"{samples / 1e6:.1f} M stack samples of depth 40", shown(found.cpu_s, "s")
    note = f"{compared_with(found.cpu_s, floor.cpu_s, 'reading the samples')} of CPU time; took {took}"
    figures.add(f"{size}, time", found.wall_s, "s", at_most=8.0, note=note)
    figures.add(f"{size}, peak memory", found.peak_mib, "MiB", at_most=512)
    shutil.rmtree(recording)


def _of_counted_stacks(figures: Figures, folder: Path, scale: int) -> None:
    """Collapsed stacks of four threads with 5,000 stacks each: an import with a trace, and the report."""
    trace, stacks = write_counted_stacks(folder, samples := 20_000_000 // scale)
    size, recording = f"{samples / 1e6:.0f} M samples without times", folder / "counted"
    options = [f"--process={TID0}", f"--power-profile={ROOT / 'tests/golden/recording-v1/power_profile.xml'}", "--quiet"]
    imported = run_measured([_NAVITAS, "import", trace, f"--stacks={stacks}", f"--output={recording}", *options])
    reported = _report(recording, rounds=1)
    for what, taken in (("import", imported), ("report", reported)):
        figures.add(f"{size}, {what}, CPU time", taken.cpu_s, "s")
        figures.add(f"{size}, {what}, peak memory", taken.peak_mib, "MiB", at_most=640)
    shutil.rmtree(recording)


def _page(figures: Figures, recording: Path, size: str, json: Measured) -> None:
    """The time and memory to make the page, compared with JSON."""
    found = min(run_measured([_NAVITAS, "report", recording, f"--html={recording}.html"]) for _ in range(2))
    note = f"{compared_with(found.cpu_s, json.cpu_s, 'JSON')} of CPU time"
    figures.add(f"{size}, page", found.wall_s, "s", at_most=10.0, note=note)
    note = compared_with(found.peak_mib, json.peak_mib, "JSON", "MiB")
    figures.add(f"{size}, page, peak memory", found.peak_mib, "MiB", at_most=1.01 * json.peak_mib, note=note)


def _to_pandas(figures: Figures, recording: Path, size: str) -> None:
    """The time to convert the ledger of a loaded profile to a data frame."""
    done = subprocess.run([sys.executable, "-c", _TO_PANDAS, recording], stdout=subprocess.PIPE, text=True, check=True)
    took_s, rows = done.stdout.split()
    figures.add(f"{size}, ledger to a pandas frame", float(took_s), "s", at_most=2.0, note=f"{int(rows):,} rows")


def _huge(figures: Figures, folder: Path, scale: int) -> None:
    size = 1_000_000 // scale
    make_deep_recording(folder / "deep", size)
    make_deep_recording(folder / "zeros", size, returns=False, methods=1)
    make_big_recording(folder / "map", size // 10, mix=Mix(methods=size))
    make_big_recording(folder / "tests", size // 10, tests=size // 20, threads=1, mix=Mix(depth=3))
    names = {
        "deep": f"{size:,} nested calls, all three files",
        "zeros": f"{size:,} entries without an exit",
        "map": f"{size:,} methods in the map",
        "tests": f"{size // 10:,} tests",
    }
    for name, text in names.items():
        files = [f"--{kind}={folder / kind}" for kind in ("speedscope", "collapsed")] if name == "deep" else []
        found = _report(folder / name, rounds=1, more=files)
        figures.add(text, found.wall_s, "s", at_most=60.0, note=f"{shown(found.cpu_s, 's')} of CPU time")
        figures.add(f"{text}, peak memory", found.peak_mib, "MiB", at_most=_HUGE_LIMIT_MIB.get(name))


def _report(recording: Path, rounds: int, more: Sequence[str] = ()) -> Measured:
    """The fastest of several runs of `navitas report`."""
    return min(run_measured([_NAVITAS, "report", recording, f"--json={recording}.json", *more]) for _ in range(rounds))


def _each_ns(low: tuple[int, Measured], high: tuple[int, Measured]) -> float:
    return 1e9 * (high[1].cpu_s - low[1].cpu_s) / (high[0] - low[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

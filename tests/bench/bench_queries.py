"""A million queries of a thread's energy between two times, on cores with changing frequencies, compared with E-MANAFA."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, Figures, arguments
from peer import manafa_python
from support.ftrace_writer import Form

_FORM = Form(tgid=True, flags="....")
_BEGIN_NS = 20_000_000_000_000
_LENGTH_NS = 5_000_000
_OURS = """\
import sys, time
from dataclasses import replace
from pathlib import Path
import numpy as np
from attribution_maker import MS, T0, manifest, run, thread
from navitas.energy.attribute.component import ComponentInputs
from navitas.energy.attribute.cpu.cpu_component import Cpu
from navitas.recording.parse.trace.text_trace import read_text
from navitas.power.catalog import load
from navitas.power.cpu import power_model, placeholder_frequencies
from navitas.recording.manifest import Policy
path, queries, length_ns, profile = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), load(sys.argv[4])
trace = read_text(path).trace
model = power_model(profile, 3.85, frequencies=placeholder_frequencies(profile))
policies = [Policy(id=min(cluster.cpus), cpus=list(cluster.cpus)) for cluster in model.cpu.clusters]
main = thread(1, anchors=[((trace.start_ns - T0) / MS, 0.0)])
made = replace(run([main], time_in_state=[]), start_ns=trace.start_ns, end_ns=trace.end_ns, trace=trace)
from_ns = np.sort(np.random.default_rng(1).integers(trace.start_ns, trace.end_ns - length_ns, queries))
begin = time.process_time()
setting = ComponentInputs(manifest(policies=policies), model, marks=np.empty(0, np.int64), methods=1)
curves = Cpu().curves(made, setting)
threads = curves.threads
owner = np.zeros(queries, np.int64)
first, last = (threads.knots.place(owner, t_ns).read(threads.energy_j) for t_ns in (from_ns, from_ns + length_ns))
joules = last - first
seconds = time.process_time() - begin
assert curves.level == "sched" and (joules > 0).all()
print(seconds)
"""
_MANAFA = """\
import contextlib, os, random, sys, time
from manafa.emanafa import EManafa
from manafa.parsing.perfetto.perfettoParser import PerfettoCPUfreqParser
path, queries, length_s = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) / 1e9
peer = EManafa.__new__(EManafa)
peer.bat_events, peer.perf_events = None, PerfettoCPUfreqParser(sys.argv[4])
peer.perf_events.parse_file(path)
first, last = (peer.perf_events.events[i].time for i in (0, -1))
draw = random.Random(1)
starts = [draw.uniform(first, last - length_s) for _ in range(queries)]
begin = time.process_time()
with contextlib.redirect_stdout(open(os.devnull, "w")):
    for start in starts:
        peer.calculate_cpu_energy(start, start + length_s)
print(time.process_time() - begin)
"""
_PEER_QUERIES = 50


def main(argv: list[str]) -> int:
    """Write a trace of frequencies, and run the queries."""
    options = arguments(__doc__ or "", argv)
    figures = Figures("Queries of energy (CPU time)")
    changes, queries = (20_000, 100_000) if options.quick else (200_000, 1_000_000)
    with tempfile.TemporaryDirectory() as name:
        trace = Path(name) / "frequencies.txt"
        trace.write_text(_trace(changes))
        profile = str(ROOT / "profiles" / "google-pixel-6.xml")
        own = _seconds(sys.executable, _OURS, trace, queries, profile)
        try:
            peer_s = _seconds(manafa_python(Path(name)), _MANAFA, trace, _PEER_QUERIES, profile) / _PEER_QUERIES
            note = f"{peer_s * queries / own:,.0f} × as many a second as manafa 0.4.14 ({1 / peer_s:.0f})"
        except (OSError, subprocess.SubprocessError) as error:
            note = f"manafa could not be run: {error}"[:80]
        figures.add(f"{queries:,} methods over {changes:,} changes of frequency", own, "s", at_most=1.0, note=note)
    return figures.close(options.check)


def _trace(changes: int) -> str:
    """One thread that runs on one core. All eight cores change their frequency every 8 ms."""
    draw = random.Random(3)
    lines = [_FORM.switch(0, _BEGIN_NS, ("swapper/0", 0, "R"), ("main", 101))]
    for number in range(changes):
        lines.append(_FORM.frequency(number % 8, _BEGIN_NS + number * 1_000_000, draw.randrange(300_000, 2_800_000)))
    lines.append(_FORM.switch(0, _BEGIN_NS + changes * 1_000_000, ("main", 101, "S"), ("swapper/0", 0), tgid=1))
    return "".join(lines)


def _seconds(python: str | Path, program: str, trace: Path, queries: int, profile: str) -> float:
    """The time that a program prints: the better of two runs."""
    command = [python, "-c", program, trace, str(queries), str(_LENGTH_NS), profile]
    paths = os.pathsep.join(str(ROOT / part) for part in ("tests", "tests/unit/energy/attribute"))
    environment = {**os.environ, "PYTHONPATH": paths} if str(python) == sys.executable else None
    runs = (subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout for _ in range(2))
    return min(float(printed.split()[-1]) for printed in runs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Programs that spend 10, 20, 30 and 40 % of their CPU time in four functions, on this computer's kernel (`make accuracy`).

Java: `record --java`, which joins async-profiler's samples with the scheduler's trace. C: `perf script` with samples and the
scheduler's events in one text. Skipped without root, the kernel's tracer, async-profiler, perf or a compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from scipy.stats import binom
from truth.phone import PIXEL_6, profile_xml

import navitas
from navitas.cli.main import run
from navitas.virtual_phone.kernel.tracefs import open_tracefs

HERE = Path(__file__).parent / "duty_cycles"
SHARES = {"ten": 0.1, "twenty": 0.2, "thirty": 0.3, "forty": 0.4}
ROUNDS = 60
FALSE_ALARMS = 1e-3
TRACED = """mount -t tracefs nodev /sys/kernel/tracing &&
exec perf record -q -a -k CLOCK_MONOTONIC -o perf.data -e cpu-clock/period=1000000,call-graph=fp/ \\
    -e sched:sched_switch/call-graph=no/ -- "$@"
"""


@pytest.fixture(autouse=True)
def _tracer() -> None:
    """Skip without the kernel's tracer."""
    if os.getuid() or (tracefs := open_tracefs()) is None:
        pytest.skip("root and the kernel's tracer (tracefs) are needed")
    tracefs.close()


def check(recording: Path) -> None:
    """Print each function's share of what the four of a thread used, and compare them with the program's."""
    profile = navitas.load(recording)
    within = []
    for thread in profile.tests[0].threads:
        methods = {profile.method_table.methods[row.method].name: row for row in thread.methods}
        own = {name: methods[name] for name in SHARES if name in methods}
        whole_j = sum(method.inclusive_j for method in own.values())
        for name, method in own.items():
            assert method.inclusive_error_j is not None
            share, error = method.inclusive_j / whole_j, method.inclusive_error_j / whole_j
            within.append(abs(share - SHARES[name]) <= 2 * error)
            print(f"{thread.name}: {name} {100 * share:.1f} ± {100 * error:.1f} %")
    print(f"within two standard errors: {sum(within)} of {len(within)}")
    assert len(within) >= len(SHARES) and sum(within) >= binom.ppf(FALSE_ALARMS, len(within), 0.95)


@pytest.mark.parametrize("pinned", [(), ("pinned",)], ids=["free", "pinned pairs"])
def test_a_java_program(sampler: Path, pinned: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which("javac") is None or shutil.which("taskset") is None:
        pytest.skip("javac and taskset are needed")
    subprocess.run(["javac", "-d", tmp_path, HERE / "Duty.java"], check=True)
    command = ["java", "-cp", str(tmp_path), "Duty", str(ROUNDS), *pinned]
    assert run(["record", "--java", "-o", str(tmp_path / "rec"), "--", *command]) == 0
    check(tmp_path / "rec")


@pytest.mark.parametrize("pinned", [(), ("pinned",)], ids=["free", "pinned pairs"])
def test_a_c_program(pinned: tuple[str, ...], tmp_path: Path) -> None:
    if any(shutil.which(program) is None for program in ("cc", "perf", "unshare")):
        pytest.skip("cc, perf and unshare are needed")
    build = ["cc", "-O1", "-fno-omit-frame-pointer", "-pthread", "-o", str(tmp_path / "duty"), str(HERE / "duty.c")]
    subprocess.run(build, check=True)
    # The mount is of this command alone.
    traced = ["unshare", "--mount", "sh", "-c", TRACED, "traced", "./duty", str(ROUNDS), *pinned]
    subprocess.run(traced, check=True, cwd=tmp_path)
    text = subprocess.run(
        ["perf", "script", "-F", "+pid", "-i", "perf.data"], check=True, cwd=tmp_path, capture_output=True
    ).stdout
    (tmp_path / "duty.perf.txt").write_bytes(text)
    pid = next(line.split()[1].partition(b"/")[0] for line in text.splitlines() if line.split()[:1] == [b"duty"])
    path, profile, recording = (str(tmp_path / name) for name in ("duty.perf.txt", "power_profile.xml", "rec"))
    Path(profile).write_bytes(profile_xml(PIXEL_6))
    command = ["import", path, "--stacks", path, "-o", recording, "--power-profile", profile, "--process", pid.decode()]
    assert run(command) == 0
    check(tmp_path / "rec")

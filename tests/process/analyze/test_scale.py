"""With many tests and methods, memory is bounded and work grows linearly.

Work is the number of function calls, which other processes don't affect.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from support.big_recording import Mix, make_big_recording

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

_REPORT = """\
import json, sys
from pathlib import Path
import navitas
from navitas.analyze.conserve import check
from navitas.report.registry import find_format

calls = 0

def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")

if sys.argv[2] == "count":
    sys.setprofile(count)
profile = navitas.load(sys.argv[1])
assert check(profile) == []
with open("/dev/null", "w") as out:
    for name in ("json", "text", "collapsed"):
        find_format(name).write(profile, out)
sys.setprofile(None)
# Not ru_maxrss, which includes the parent process.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
peak_mib = int(status["VmHWM"].split()[0]) / 1024
print(json.dumps([calls, peak_mib, len(profile.tests), len(profile.method_table.methods)]))
"""


class Reported(NamedTuple):
    """The cost of a recording's reports, and the recording's size."""

    calls: int
    peak_mib: float
    tests: int
    methods: int


def reported(recording: Path, *, counted: bool) -> Reported:
    command = [sys.executable, "-c", _REPORT, str(recording), "count" if counted else "time"]
    return Reported(*json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout))


def of_tests(folder: Path, tests: int) -> Path:
    make_big_recording(folder, 2 * tests, tests=tests // 2, threads=1, mix=Mix(depth=3))
    return folder


def of_methods(folder: Path, methods: int) -> Path:
    make_big_recording(folder, 20_000, mix=Mix(methods=methods))
    return folder


def of_repeats(folder: Path, repeats: int) -> Path:
    make_big_recording(folder, 20 * repeats, runs=repeats, threads=1, tests=1, mix=Mix(depth=3, methods=20))
    return folder


def test_a_hundred_thousand_tests_take_bounded_memory(tmp_path: Path) -> None:
    found = reported(of_tests(tmp_path / "rec", 100_000), counted=False)
    assert found.tests == 100_000 and found.peak_mib < 1024


def test_a_million_methods_take_bounded_memory(tmp_path: Path) -> None:
    found = reported(of_methods(tmp_path / "rec", 1_000_000), counted=False)
    assert found.methods == 1_000_000 and found.peak_mib < 2048


def test_work_grows_with_the_number_of_tests(tmp_path: Path) -> None:
    few, many = (reported(of_tests(tmp_path / f"{size}", size), counted=True) for size in (2_000, 16_000))
    assert many.tests == 8 * few.tests
    assert many.calls < 8 * 1.25 * few.calls


def test_work_grows_with_the_number_of_methods(tmp_path: Path) -> None:
    few, many = (reported(of_methods(tmp_path / f"{size}", size), counted=True) for size in (20_000, 160_000))
    assert many.methods == 8 * few.methods
    assert many.calls < 8 * 1.25 * few.calls


def test_work_grows_with_the_number_of_repeats(tmp_path: Path) -> None:
    few, many = (reported(of_repeats(tmp_path / f"{size}", size), counted=True) for size in (50, 400))
    assert many.tests == 8 * few.tests
    assert many.calls < 8 * 1.25 * few.calls

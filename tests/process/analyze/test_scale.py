"""With many tests and methods, memory is bounded and work grows linearly.

Work is the number of function calls, which other processes don't affect.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
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


def check_linear(make: Callable[[Path, int], Path], folder: Path, size: int) -> None:
    """Double the size twice: the second step is twice the first, but for a quarter. What any report takes cancels out."""
    one, two, four = (reported(make(folder / f"{times}", times * size), counted=True).calls for times in (1, 2, 4))
    assert two > one
    assert four - two < 2 * 1.25 * (two - one)


# `make bench` has a hundred thousand tests and a million methods.
def test_many_tests_take_bounded_memory(tmp_path: Path) -> None:
    found = reported(of_tests(tmp_path / "rec", 20_000), counted=False)
    assert found.tests == 20_000 and found.peak_mib < 256


def test_many_methods_take_bounded_memory(tmp_path: Path) -> None:
    found = reported(of_methods(tmp_path / "rec", 200_000), counted=False)
    assert found.methods == 200_000 and found.peak_mib < 400


def test_work_grows_with_the_number_of_tests(tmp_path: Path) -> None:
    check_linear(of_tests, tmp_path, 500)


def test_work_grows_with_the_number_of_methods(tmp_path: Path) -> None:
    check_linear(of_methods, tmp_path, 10_000)


def test_work_grows_with_the_number_of_repeats(tmp_path: Path) -> None:
    check_linear(of_repeats, tmp_path, 25)

"""With many tests and methods, memory is bounded and work grows linearly.

Work is the number of function calls, which other processes don't affect.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.big_recording import Mix, make_big_recording

import navitas
from navitas.energy.analyze.conserve import check
from navitas.report.registry import find_format

_FORMATS = ("json", "text", "collapsed")
_REPORT = f"""\
import json, sys
from pathlib import Path
import navitas
from navitas.energy.analyze.conserve import check
from navitas.report.registry import find_format

profile = navitas.load(sys.argv[1])
assert check(profile) == []
with open("/dev/null", "w") as out:
    for name in {_FORMATS}:
        find_format(name).write(profile, out)
# Not ru_maxrss, which includes the parent process.
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
peak_mib = int(status["VmHWM"].split()[0]) / 1024
print(json.dumps([peak_mib, len(profile.tests), len(profile.method_table.methods)]))
"""


def calls_of(recording: Path) -> int:
    """The number of function calls that the reports of a recording take."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    with Path("/dev/null").open("w") as out:
        sys.setprofile(count)
        try:
            profile = navitas.load(recording)
            assert check(profile) == []
            for name in _FORMATS:
                find_format(name).write(profile, out)
        finally:
            sys.setprofile(None)
    return calls


def peak_of(recording: Path) -> tuple[float, int, int]:
    """Peak memory of the reports in a process of their own (MiB), and the recording's numbers of tests and methods."""
    command = [sys.executable, "-c", _REPORT, str(recording)]
    peak_mib, tests, methods = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return peak_mib, tests, methods


def of_tests(folder: Path, tests: int) -> Path:
    make_big_recording(folder, 2 * tests, tests=tests // 2, threads=1, mix=Mix(depth=3, template_events=tests))
    return folder


def of_methods(folder: Path, methods: int) -> Path:
    make_big_recording(folder, 8 * methods, mix=Mix(methods=methods, template_events=8 * methods))
    return folder


def of_repeats(folder: Path, repeats: int) -> Path:
    mix = Mix(depth=3, methods=20, template_events=256)
    make_big_recording(folder, 20 * repeats, runs=repeats, threads=1, tests=1, mix=mix)
    return folder


# `make bench` has a hundred thousand tests and a million methods.
@pytest.mark.extended
def test_many_tests_take_bounded_memory(tmp_path: Path) -> None:
    peak_mib, tests, _ = peak_of(of_tests(tmp_path / "rec", 20_000))
    assert tests == 20_000 and peak_mib < 256


@pytest.mark.extended
def test_many_methods_take_bounded_memory(tmp_path: Path) -> None:
    make_big_recording(tmp_path / "rec", 20_000, mix=Mix(methods=200_000))
    peak_mib, _, methods = peak_of(tmp_path / "rec")
    assert methods == 200_000 and peak_mib < 400


@pytest.mark.parametrize(("make", "size"), [(of_tests, 200), (of_methods, 1_000), (of_repeats, 8)])
def test_work_grows_linearly(make: Callable[[Path, int], Path], size: int, tmp_path: Path) -> None:
    """Double the size twice: the second step is twice the first, but for a quarter. What any report takes cancels out."""
    calls_of(make(tmp_path / "first", size))  # imports modules
    one, two, four = (calls_of(make(tmp_path / f"{times}", times * size)) for times in (1, 2, 4))
    assert two > one
    assert four - two < 2 * 1.25 * (two - one)

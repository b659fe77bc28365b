"""Damages recordings in thousands of ways and makes every report of each (`make damage`).

Each must end with a report that conserves energy and counts missing data, or with an error that names the file. None may
end with a traceback, run forever, or use unlimited memory. Prints the seed of each failure and exits with 1.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from damage import Damage, damage
from samples import made_samples, phone_samples
from support.firefox_profile import check_profile
from support.html_pages import Page
from support.pprof_reader import read_samples

import navitas
from navitas.base.errors import NavitasError
from navitas.cli.fleet.recorded_methods import methods_of
from navitas.cli.main import run
from navitas.energy.analyze.conserve import check
from navitas.report.registry import find_format
from navitas.report.view_request import VIEWS, ViewRequest

REPORTS = ("json", "html", "speedscope", "collapsed")
OTHER_FORMATS = ("text", "pprof", "firefox")
"""Formats without an option of `navitas report`."""
_MEMORY_BYTES = 3 << 30
_MOST_CPU_S = 120
# Limit for a process that waits without using CPU time. Even a busy machine does not reach it.
_MOST_WALL_S = 1200
_CRASHED = 70
_NAMED_ERRORS = (2, 4)
# Figures of nodes have 12 digits in the JSON report.
_TOLERANCE = 1e-6
_ERRORS_SHOWN = 10


@dataclass(frozen=True)
class Outcome:
    """The outcome of the reports of one damaged recording. `problems` is empty if all is well."""

    seed: int
    sample: str
    damage: Damage
    code: int
    error: str
    problems: tuple[str, ...]


def examine(samples: Sequence[Path], seed: int, folder: Path) -> Outcome:
    """Damage a copy of a sample and make its reports in a separate process with limits on memory and time."""
    random = Random(seed)
    sample = samples[seed % len(samples)]
    recording = folder / "recording"
    for path in (recording, folder / "reports"):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(sample, recording)
    (folder / "reports").mkdir()
    done = damage(recording, random)
    code = _apart(recording, folder / "reports")
    said = (folder / "reports" / "said.txt").read_text(errors="replace")
    problems = tuple(_problems(code, said, recording, folder / "reports", done))
    return Outcome(seed, sample.name, done, code, _kind(said, recording), problems)


def _kind(said: str, recording: Path) -> str:
    """Return an error without numbers and names, to count equal errors."""
    error = next((line for line in said.splitlines() if line.startswith("error: ")), "")
    return re.sub(r"'[^']*'|\d+|[0-9a-f]{16}", "…", error.replace(f"{recording}/", ""))[:120]


def _apart(recording: Path, reports: Path) -> int:
    """Return the exit code of the commands in a separate process; -signal if a signal ended it."""
    child = os.fork()
    if not child:
        code = _CRASHED
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_MOST_WALL_S)
            resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU_S, _MOST_CPU_S + 1))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
            with (reports / "said.txt").open("w") as said, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                try:
                    code = _reports(recording, reports)
                except BaseException:
                    traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _reports(recording: Path, reports: Path) -> int:
    outputs = [text for name in REPORTS for text in (f"--{name}", str(reports / name))]
    code = run(["report", str(recording), *outputs])
    try:
        methods_of(recording)
        made = navitas.load(recording)
    except NavitasError as error:
        if not code:
            print(f"only the fleet's page or the Python API fails: {error}", file=sys.stderr)
            return _CRASHED
        return code
    for name in OTHER_FORMATS:
        form = find_format(name)
        with (reports / name).open("wb" if form.binary else "w") as out:
            form.write(made, out)
    for name in ("json", "text"):
        with (reports / f"views.{name}").open("w") as out:
            find_format(name).write(made, out, views=ViewRequest(VIEWS))
    for problem in check(made):
        print(f"the ledger does not conserve energy: {problem}", file=sys.stderr)
        code = _CRASHED
    return code


def _problems(code: int, said: str, recording: Path, reports: Path, done: Damage) -> Iterator[str]:
    if "Traceback (most recent call last)" in said or code == _CRASHED or code < 0:
        yield f"ended with {code}: {' | '.join(said.splitlines()[-12:])}"
    elif code in _NAMED_ERRORS:
        error = next((line for line in said.splitlines() if line.startswith("error: ")), "")
        if str(recording) not in said.replace("\n", ""):
            yield f"the error names no file: {error}"
        if done.is_plain_loss:
            yield f"lost chunks end the report: {error}"
    elif code:
        yield f"ended with {code}"
    else:
        yield from _of_reports(reports, done)


def _of_reports(reports: Path, done: Damage) -> Iterator[str]:
    report = json.loads((reports / "json").read_text(), parse_constant=float)
    yield from conservation(report)
    yield from _of_views(json.loads((reports / "views.json").read_text(), parse_constant=float))
    for what, missing in (("chunks", done.missing), ("logcat_chunks", done.missing_log)):
        lost = sum(loss["count"] for loss in report["losses"] if loss["what"] == what)
        known = missing is not None and (what != "chunks" or done.missing_log is None)
        if known and lost != missing:
            yield f"{lost} {what} are reported as missing, and {missing} are"
    page = Page((reports / "html").read_text("utf-8"))
    if "page-data" not in page.data or ("tests" not in page.tables and report["tests"]):
        yield "the page has no data, or no tests"
    speedscope = json.loads((reports / "speedscope").read_text())
    if speedscope["$schema"] != "https://www.speedscope.app/file-format-schema.json":
        yield "the speedscope report is none"
    for line in (reports / "collapsed").read_text().splitlines():
        stack, _, value = line.rpartition(" ")
        if not stack or not value.isdigit():
            yield f"a collapsed stack has no value: {line[:100]}"
            break
    try:
        check_profile(json.loads((reports / "firefox").read_text()))
        read_samples((reports / "pprof").read_bytes())
    except AssertionError as error:
        yield f"a profile is wrong: {error}"


def conservation(report: dict[str, Any]) -> Iterator[str]:
    """Return every wrong sum and every infinite or NaN figure of a JSON report."""
    totals = report["totals"]
    whole = totals["energy_j"]
    parts = ("threads_j", "other_processes_j", "base_j", "unattributed_j")
    yield from _off("totals", fsum(totals[name] for name in parts), whole, whole)
    yield from _off("tests", fsum(test["energy_j"] for test in report["tests"]) + totals["outside_tests_j"], whole, whole)
    for test in report["tests"]:
        threads = fsum(_known(thread, "energy_j") for thread in test["threads"])
        others = fsum(test[name] for name in parts[1:])
        yield from _off(f"test {test['id']}", threads + others, test["energy_j"], test["energy_j"])
        for thread in test["threads"]:
            rest = _known(thread, "untraced_j") + _known(thread, "probes_j")
            for rows in ("methods", "nodes"):
                own = fsum(_known(row, "exclusive_j") for row in thread[rows]) + rest
                yield from _off(f"{rows} of thread {thread['serial']}", own, _known(thread, "energy_j"), test["energy_j"])
    for warning in report["warnings"]:
        if warning["code"] == "not_conserved":
            yield warning["message"]


def _known(row: dict[str, Any], name: str) -> float:
    """Return a figure; 0 if it is null, as those of threads are whose CPU time nothing shows."""
    value: float | None = row[name]
    return 0.0 if value is None else value


def _of_views(report: dict[str, Any]) -> Iterator[str]:
    """Return every wrong sum of the views of a JSON report."""
    views, totals = report["views"], report["totals"]
    whole = totals["energy_j"]
    for name in ("components", "users"):
        yield from _off(f"top, {name}", fsum(row["energy_j"] for row in views["top"][name]), whole, whole)
    flowed = 0.0
    for found in views["timeline"]["runs"]:
        length, step = found["end_ns"] - found["start_ns"], found["step_ns"]
        for power in found["power_w"].values():
            flowed += fsum(watts * min(step, length - i * step) / 1e9 for i, watts in enumerate(power))
    yield from _off("timeline", flowed, whole, whole)
    trees = views["tree"]["threads"]
    yield from _off("trees", fsum(tree["energy_j"] for tree in trees), totals["threads_j"], whole)
    for tree in trees:
        rest = fsum(value for name in ("untraced", "probes", "outside_tests") for value in tree[name].values())
        own = fsum(node["exclusive_j"] for node in tree["nodes"]) + rest
        yield from _off(f"tree of thread {tree['name'][:60]}", own, tree["energy_j"], whole)


def _off(what: str, found: float, expected: float, scale: float) -> Iterator[str]:
    if not isfinite(found) or abs(found - expected) > _TOLERANCE * max(abs(expected), abs(scale)) + 1e-15:
        yield f"{what}: {found!r} J, not {expected!r} J"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="so many damaged recordings")
    parser.add_argument("--seed", type=int, default=0, help="the first one's seed; the others follow it")
    parser.add_argument("--recording", type=Path, action="append", default=[], help="a recording to damage too (repeatable)")
    parser.add_argument("--phone", action="store_true", help="make recordings on the virtual phone, too (needs Gradle)")
    parser.add_argument("--verbose", action="store_true", help="print every one")
    arguments = parser.parse_args()
    ended: Counter[str] = Counter()
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "made").mkdir()
        samples = [*made_samples(folder / "made"), *arguments.recording]
        if arguments.phone and (gradle := shutil.which("gradle")):
            (folder / "phone").mkdir()
            samples += phone_samples(folder / "phone", gradle)
        errors: Counter[str] = Counter()
        print(f"{len(samples)} samples, seeds {arguments.seed} to {arguments.seed + arguments.count - 1}", flush=True)
        began = time.monotonic()
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            outcome = examine(samples, seed, folder)
            ended["report" if outcome.code == 0 else f"error {outcome.code}"] += 1
            failed += bool(outcome.problems)
            if outcome.code:
                errors[outcome.error] += 1
            if outcome.problems or arguments.verbose:
                print(f"seed {seed}, {outcome.sample}, ended with {outcome.code}: {'; '.join(outcome.damage.done)}")
            for problem in outcome.problems:
                print(f"    {problem}", flush=True)
    for error, count in errors.most_common(None if arguments.verbose else _ERRORS_SHOWN):
        print(f"{count:5d} {error}")
    print(f"{dict(ended)}, {failed} not as they should be, {time.monotonic() - began:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

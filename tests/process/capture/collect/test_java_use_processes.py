"""How a recorded JVM ends, with a script in place of `java`, and how the profile of a running one begins and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_device import FakeDevice
from support.no_progress import NoProgress
from support.raising import raising

from navitas.base.errors import BuildError, UsageError
from navitas.capture.build import async_profiler
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs import java_use
from navitas.capture.collect.runs.java_use import JavaUse, children_cpu_s
from navitas.capture.collect.runs.jvm_attach import NoAnswer, start_of

Warnings = list[tuple[str, str]]


def java_run(use: JavaUse, folder: Path, warnings: Warnings) -> Any:
    def warn(code: str, message: str, remedy: str, run: int | None = None) -> None:
        warnings.append((code, message))

    writer = SimpleNamespace(path=lambda kind, run, name: folder / name, warn=warn)
    recording: Any = SimpleNamespace(writer=writer)
    facts: Any = None
    return java_use._Run(FakeDevice(), use, ProfileOptions(), recording, facts, NoProgress())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("exit 0", []),
        ("exit 143", []),
        ("exit 130", []),
        ("kill -TERM $$", []),
        ("kill -INT $$", []),
        ("exit 7", ["ended with exit code 7"]),
        ("kill -KILL $$", ["ended by signal 9 (Killed)"]),
        ("kill -SEGV $$", ["ended by signal 11 (Segmentation fault)"]),
    ],
)
def test_a_jvm_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: list[str]) -> None:
    monkeypatch.setattr(async_profiler, "find", lambda: tmp_path / "lib.so")
    program = tmp_path / "java"
    program.write_text(f"#!/bin/sh\nulimit -c 0\n{line}\n")
    program.chmod(0o755)
    warnings: Warnings = []
    with java_run(JavaUse("shop", command=(str(program),)), tmp_path, warnings)._jvm() as (pid, _):
        os.kill(pid, signal.SIGCONT)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert warnings == [("tests", f"shop: the JVM {text}") for text in said]


@pytest.fixture
def loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, UsageError | None]:
    """What each command of the profiler raises: those that were sent are removed."""
    left: dict[str, UsageError | None] = {"start": None, "stop": None}

    def load(pid: int, library: Path, options: str) -> None:
        if error := left.pop(options.partition(",")[0]):
            raise error

    monkeypatch.setattr(async_profiler, "find", lambda: tmp_path / "lib.so")
    monkeypatch.setattr(java_use, "load_agent", load)
    monkeypatch.setattr(java_use, "check_jvm", lambda pid: None)
    return left


@pytest.mark.parametrize(("error", "is_stopped"), [(UsageError("already started", ""), False), (NoAnswer("silent", ""), True)])
def test_a_profile_that_did_not_begin_is_not_stopped(
    loads: dict[str, UsageError | None], tmp_path: Path, error: UsageError, is_stopped: bool
) -> None:
    loads["start"] = error
    with (
        pytest.raises(type(error), match=error.message),
        java_run(JavaUse("shop", 42), tmp_path, [])._profiled(42, tmp_path / "x"),
    ):
        pytest.fail("it has not begun")
    assert ("stop" not in loads) == is_stopped


def test_a_path_that_the_profiler_cannot_write_stops_nothing(loads: dict[str, UsageError | None], tmp_path: Path) -> None:
    with (
        pytest.raises(BuildError, match="replaces '%'"),
        java_run(JavaUse("shop", 42), tmp_path, [])._profiled(42, tmp_path / "%x"),
    ):
        pytest.fail("it has not begun")
    assert set(loads) == {"start", "stop"}


@pytest.mark.parametrize("is_there", [True, False])
def test_a_stop_that_fails_is_a_warning(
    loads: dict[str, UsageError | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    if not is_there:
        monkeypatch.setattr(java_use, "check_jvm", raising(UsageError("there is no process 42", "")))
    loads["stop"] = UsageError("the JVM 42 does not answer", "")
    warnings: Warnings = []
    with java_run(JavaUse("shop", 42), tmp_path, warnings)._profiled(42, tmp_path / "x"):
        pass
    warning = ("events_missing", "shop: its profiler was not stopped: the JVM 42 does not answer")
    assert warnings == ([warning] if is_there else [])


@pytest.mark.parametrize("is_late", [True, False])
def test_a_jvm_that_ran_before_is_named(tmp_path: Path, is_late: bool) -> None:
    warnings: Warnings = []
    use = JavaUse("shop", os.getpid(), start_of(os.getpid()), is_late)
    with java_run(use, tmp_path, warnings)._jvm() as (pid, _):
        assert pid == os.getpid()
    assert [code for code, _ in warnings] == ["attached_late"] * is_late


@pytest.mark.parametrize(("cpu_s", "said"), [((1.0, 3.5), ["shop started processes that used 2.5 s"]), ((1.0, 1.9), [])])
def test_cpu_time_of_processes_that_a_jvm_starts_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpu_s: tuple[float, float], said: list[str]
) -> None:
    readings = iter(cpu_s)
    monkeypatch.setattr(java_use, "children_cpu_s", lambda pid: next(readings))
    warnings: Warnings = []
    with java_run(JavaUse("shop", 42), tmp_path, warnings)._beside_children(42):
        assert not warnings
    assert [message.partition(" of CPU")[0] for _, message in warnings] == said


def test_the_cpu_time_of_ended_children_is_that_of_the_kernel() -> None:
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    times = os.times()
    assert children_cpu_s(os.getpid()) == pytest.approx(times.children_user + times.children_system, abs=0.03)
    assert children_cpu_s(os.getpid()) > 0 and children_cpu_s(1 << 30) == 0

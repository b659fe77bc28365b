"""How a recorded JVM ends, with a script in place of `java`."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_device import FakeDevice
from support.no_progress import NoProgress

from navitas.capture.build import async_profiler
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs import java_use
from navitas.capture.collect.runs.java_use import JavaUse

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
    with java_run(JavaUse("shop", command=(str(program),)), tmp_path, warnings)._jvm() as pid:
        os.kill(pid, signal.SIGCONT)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert warnings == [("tests", f"shop: the JVM {text}") for text in said]

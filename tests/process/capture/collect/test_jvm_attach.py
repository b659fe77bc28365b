"""How an agent gets into a JVM that must first be woken: only a process that catches SIGQUIT gets one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.raising import raising

from navitas.base.errors import UsageError
from navitas.capture.collect.runs import jvm_attach
from navitas.capture.collect.runs.jvm_attach import load_agent, open_jvm, start_of


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A process that passes for a JVM, and does not catch SIGQUIT."""
    monkeypatch.setattr(jvm_attach, "_LIBRARY", re.compile(b""))
    monkeypatch.setattr(jvm_attach, "_WAIT_S", 0.1)
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_a_jvm_that_does_not_catch_the_signal_goes_on(quiet: subprocess.Popen[bytes]) -> None:
    with pytest.raises(UsageError, match="does not catch SIGQUIT: it is still starting, or has -Xrs") as caught:
        load_agent(quiet.pid, Path("/lib.so"), "start")
    assert "try again, or start it with: navitas record --java" in caught.value.remedy
    assert quiet.poll() is None


def test_a_jvm_that_does_not_listen_is_named(quiet: subprocess.Popen[bytes]) -> None:
    program = "import signal, sys; signal.signal(signal.SIGQUIT, lambda *_: print('quit', flush=True)); print('on', flush=True)"
    words = [sys.executable, "-c", f"{program}; [signal.pause() for _ in range(2)]"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"on\n"
        with pytest.raises(UsageError, match="does not let others attach"):
            load_agent(process.pid, Path("/lib.so"), "start")
        assert process.stdout.readline() == b"quit\n"
        process.kill()


@pytest.mark.parametrize("kind", ["none", "file", "link"])
def test_only_its_own_mark_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str) -> None:
    monkeypatch.setattr(jvm_attach, "_LIBRARY", re.compile(b""))
    monkeypatch.setattr(jvm_attach, "_WAIT_S", 0.0)
    with subprocess.Popen(["sleep", "60"], cwd=tmp_path) as process:
        mark = tmp_path / f".attach_pid{process.pid}"
        if kind == "file":
            mark.write_text("another's")
        elif kind == "link":
            mark.symlink_to(tmp_path / "target")
        seen: list[int] = []
        monkeypatch.setattr(jvm_attach, "_quit", lambda pid: seen.append(mark.lstat().st_mode & 0o777))
        with pytest.raises(UsageError, match="does not let others attach"):
            load_agent(process.pid, Path("/lib.so"), "start")
        process.kill()
    assert len(seen) == 1 and (kind != "none" or seen == [0o600])
    assert mark.is_symlink() if kind == "link" else mark.exists() == (kind == "file")
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize(("error", "said"), [(ProcessLookupError, "has ended"), (PermissionError, "cannot be attached to")])
def test_a_signal_that_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, quiet: subprocess.Popen[bytes], error: type[OSError], said: str
) -> None:
    monkeypatch.setattr(jvm_attach, "_check_catches", lambda pid: None)
    monkeypatch.setattr(signal, "pidfd_send_signal", raising(error(1, "not permitted")))
    with pytest.raises(UsageError, match=said):
        load_agent(quiet.pid, Path("/lib.so"), "start")


def test_a_process_that_has_ended_is_named() -> None:
    with subprocess.Popen(["true"]) as process:
        start = start_of(process.pid)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(UsageError, match="has ended"), open_jvm(process.pid, start):
            pytest.fail("its parent has not yet read its end")
    with pytest.raises(UsageError, match="has ended"), open_jvm(process.pid, start):
        pytest.fail("no process has its pid")
    with pytest.raises(UsageError, match="has ended"):
        start_of(process.pid)
    with pytest.raises(UsageError, match="has ended"):
        load_agent(process.pid, Path("/lib.so"), "stop")


def test_another_process_with_its_pid_is_not_taken_for_it() -> None:
    start = start_of(os.getpid())
    with open_jvm(os.getpid(), start):
        pass
    with pytest.raises(UsageError, match="has ended"), open_jvm(os.getpid(), start - 1):
        pytest.fail("it started at another time")

"""The log's end arrives, or is reported as missing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fake_device import FakeDevice

from navitas.capture.collect.readings import logcat
from navitas.capture.collect.readings.logcat import LogcatCapture
from navitas.capture.device.base import ShellResult, ShellStream


@dataclass
class _Log:
    """A logcat that gives what was logged, as far as it `carries` it."""

    carries: bool = True
    ends: bool = False
    _lines: list[bytes] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)
    _closed: bool = False
    _given: int = 0

    @property
    def received_bytes(self) -> int:
        return sum(map(len, self._lines))

    def add(self, line: bytes) -> None:
        with self._news:
            self._lines.append(line)
            self._news.notify_all()

    def lines(self) -> Iterator[bytes]:
        while not self.ends:
            with self._news:
                self._news.wait_for(lambda: self._closed or self._given < len(self._lines))
                if self._closed:
                    return
                fresh = self._lines[self._given :] if self.carries else []
                self._given = len(self._lines)
            yield from fresh

    def close(self) -> None:
        with self._news:
            self._closed = True
            self._news.notify_all()


@dataclass
class _Phone(FakeDevice):
    log: _Log = field(default_factory=_Log)

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        if command.startswith("log "):
            self.log.add(command.encode())
        return super().shell(command, timeout_s=timeout_s)

    @contextmanager
    def stream(self, command: str) -> Iterator[ShellStream]:
        yield self.log


def _captured(phone: _Phone, tmp_path: Path) -> LogcatCapture:
    with LogcatCapture(phone, tmp_path / "logcat.txt", "logcat") as capture:
        phone.log.add(b"I/navitas: an event")
    return capture


def test_what_was_logged_before_the_end_is_kept(tmp_path: Path) -> None:
    assert _captured(_Phone(), tmp_path).failure is None
    assert b"an event" in (tmp_path / "logcat.txt").read_bytes()


@pytest.mark.parametrize("log", [_Log(carries=False), _Log(ends=True)], ids=["silent", "ended"])
def test_an_end_that_does_not_arrive_is_reported(log: _Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logcat, "_SILENCE_S", 0.2)
    failure = _captured(_Phone(log=log), tmp_path).failure
    assert "the end of its log did not arrive" in str(failure)

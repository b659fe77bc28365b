"""simpleperf of the virtual phone, with the commands that a capture sends: it starts, ends in order, and makes its report."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from phone_harness import on_phone, run

from navitas.capture.collect.trace import simpleperf
from navitas.capture.device.base import DeviceInfo, ShellResult
from navitas.recording.parse.samples_simpleperf import read_simpleperf
from navitas.virtual_phone.phone import Phone


class PhoneDevice:
    """A virtual phone as a device: its shell runs on the phone's event loop."""

    info = DeviceInfo("phone", "serial-1", "A phone", "f", 31)

    def __init__(self, phone: Phone) -> None:
        self._phone, self._loop = phone, asyncio.get_running_loop()

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        output = asyncio.run_coroutine_threadsafe(run(self._phone, command), self._loop).result(timeout_s)
        return ShellResult(output.status, output.stdout, output.stderr)

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> list[bytes]:
        return [self.shell(command).stdout]


def test_a_recording_ends_in_order_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simpleperf, "_BEGINS_S", 0.05)
    warnings: list[str] = []

    def record(device: PhoneDevice) -> None:
        begun = simpleperf.begin(device, "org.example", 60.0, lambda text, _: warnings.append(text))  # type: ignore[arg-type]
        begun.stop()
        begun.pull(tmp_path / "samples.simpleperf")
        simpleperf.remove(device)  # type: ignore[arg-type]

    async def on(phone: Phone) -> bytes:
        await asyncio.to_thread(record, PhoneDevice(phone))
        return (await run(phone, "ls /data/local/tmp/navitas; pgrep -f '[s]tacks-'")).stdout

    assert on_phone(tmp_path / "root", on) == b"" and warnings == []
    assert len(read_simpleperf(tmp_path / "samples.simpleperf")) == 0, "the app does not run"


def test_why_it_does_not_start_is_in_its_log(tmp_path: Path) -> None:
    async def on(phone: Phone) -> bytes:
        return (await run(phone, "simpleperf record --app a.b -e cache-misses -f 1000 -g -o /data/local/tmp/x")).stderr

    assert b"Unknown command line" in on_phone(tmp_path / "root", on)

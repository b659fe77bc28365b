"""Tracing a phone: which tracer, with which words, and that nothing of it stays there."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from fake_device import FakeDevice

from navitas.collect import trace
from navitas.errors import DeviceError
from navitas.perfetto.config import binary_config, read_config

LISTED = "       sched - CPU Scheduling\n        freq - CPU Frequency\n       video - Video\n"
HAS_PERFETTO = {"which perfetto": "/system/bin/perfetto\n", "echo ": "4321\n"}


def started(device: FakeDevice, tracing: trace.Tracing = "auto") -> tuple[trace.Tracer | None, list[str]]:
    told: list[str] = []
    return trace.start(device, tracing, 60.0, lambda text, _: told.append(text)), told


def phone(sdk: int, **texts: str) -> FakeDevice:
    device = FakeDevice(texts={name.replace("_", " "): text for name, text in texts.items()})
    device.info = replace(device.info, sdk=sdk)
    return device


def with_perfetto(sdk: int) -> FakeDevice:
    device = phone(sdk)
    device.texts |= HAS_PERFETTO
    return device


def test_perfetto_is_told_what_to_trace_stopped_pulled_and_removed(tmp_path: Path) -> None:
    device = with_perfetto(33)
    tracer, told = started(device)
    assert tracer is not None and told == [] and tracer.file_name == "trace.pftrace"
    begun = device.asked[-1]
    assert "| perfetto -c - --txt -o /data/misc/perfetto-traces/navitas-" in begun and begun.endswith(" --background")
    tracer.stop()
    tracer.stop()
    assert sum("kill 4321" in command for command in device.asked) == 1
    device.pulls = [b"trace"]
    device.texts["stat -c %s "] = "5\n"
    tracer.pull(tmp_path / "t")
    tracer.remove()
    assert (tmp_path / "t").read_bytes() == b"trace" and device.asked[-1].startswith("rm -f /data/misc/perfetto-traces/navitas-")
    device.pulls, device.texts["stat -c %s "] = [b"tra"], "5\n"
    with pytest.raises(DeviceError, match="whole"):
        tracer.pull(tmp_path / "t")


def test_a_trace_that_still_runs_is_ended_before_it_is_removed() -> None:
    device = with_perfetto(33)
    tracer, _ = started(device)
    assert tracer is not None
    tracer.remove()
    assert [command.split()[0] for command in device.asked[-2:]] == ["kill", "rm"]


def test_android_9_is_given_bytes_and_its_file_stays() -> None:
    device = with_perfetto(28)
    device.texts["getprop persist.traced.enable"] = "1\n"
    tracer, told = started(device)
    assert tracer is not None and told == []
    echoed = device.asked[-1].split()[1]
    assert "--txt" not in device.asked[-1]
    assert base64.b64decode(echoed) == binary_config(trace.perfetto_config(60.0))
    tracer.stop()
    tracer.remove()
    assert not device.asked[-1].startswith("rm")


def test_the_configuration_asks_for_what_is_read() -> None:
    config = read_config(trace.perfetto_config(60.0).encode(), is_text=True)
    assert [source.config.name for source in config.data_sources] == [
        b"linux.ftrace",
        b"linux.process_stats",
        b"linux.sys_stats",
        b"android.power",
    ]
    assert config.duration_ms == 60_000 and config.write_into_file and config.max_file_size_bytes == 1 << 30
    assert b"sched/sched_switch" in config.data_sources[0].config.ftrace_config.ftrace_events


def test_without_perfetto_atrace_takes_its_place_by_name(tmp_path: Path) -> None:
    device = phone(29)
    device.texts = {"which perfetto": "/system/bin/perfetto\n", "atrace --list": LISTED}
    tracer, told = started(device)
    assert tracer is not None and tracer.file_name == "trace.txt"
    assert device.asked[-1].endswith(" sched freq")
    assert "perfetto" in told[0] and "persist.traced.enable" in told[0]
    device.pulls = [b"text"]
    tracer.stop()
    tracer.pull(tmp_path / "t")
    tracer.remove()
    assert (tmp_path / "t").read_bytes() == b"text" and sum("--async_stop" in command for command in device.asked) == 1


def test_a_phone_without_a_tracer_is_told() -> None:
    tracer, told = started(phone(26))
    assert tracer is None and "not traced" in told[0] and "perfetto" in told[0] and "atrace" in told[0]
    only, said = started(with_perfetto(33), "atrace")
    assert only is None and "perfetto" not in said[0]
    device = phone(33)
    assert started(device, "none") == (None, [])
    assert [command.split()[0] for command in device.asked] == ["pkill"]  # what a killed profiling left costs energy


def test_a_tracer_that_does_not_start_says_why() -> None:
    device = with_perfetto(33)
    device.texts["echo "] = "enabling tracing failed\n"
    tracer, told = started(device, "perfetto")
    assert tracer is None and "enabling tracing failed" in told[0]

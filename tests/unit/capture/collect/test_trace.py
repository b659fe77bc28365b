"""Tracing a phone: which tracer, with which words, that none costs a run its tests, and that nothing of it stays there."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_device import FakeDevice
from support.raising import raising

from navitas.android.perfetto.messages import binary_config, read_config
from navitas.base.errors import DeviceError
from navitas.capture.collect.trace import perfetto
from navitas.capture.collect.trace.run_trace import LONGEST_S, SPARE_S, RunTrace
from navitas.capture.collect.trace.tracer import Tracing

LISTED = "       sched - CPU Scheduling\n        freq - CPU Frequency\n       video - Video\n"
ENDS, REMOVES, OFF = (
    "pkill -f '/data/misc/",
    "rm -f /data/misc/perfetto-traces/navitas-*",
    "if [ -e /data/local/tmp/navitas/atrace ]",
)
CLEANS = [ENDS, REMOVES, OFF]


def phone(sdk: int, *tracers: str) -> FakeDevice:
    """A phone on which `perfetto` or `atrace` work."""
    device = FakeDevice(codes={"pkill": 1}).with_info(sdk=sdk)
    if "perfetto" in tracers:
        device.texts |= {"which perfetto": "/system/bin/perfetto\n", "echo ": "4321\n", "stat -c %s ": "5\n"}
    if "atrace" in tracers:
        device.texts["atrace --list"] = LISTED
    return device


class Traced:
    """Warnings of a recording's runs."""

    def __init__(self, device: FakeDevice, tracing: Tracing = "auto") -> None:
        self.device = device
        self.warnings: list[str] = []
        self.trace = RunTrace(device, tracing)

    def start(self, bound_s: float | None = None, sampled: str = "") -> str:
        """The command that began a trace; empty where none was."""
        self.warnings.clear()
        self.device.commands.clear()
        self.trace.start(bound_s, lambda text, _remedy: self.warnings.append(text), sampled)
        return next(
            (command for command in reversed(self.device.commands) if "| perfetto" in command or "--async_start" in command), ""
        )

    def end(self, folder: Path) -> Path | None:
        """The file that was brought."""
        named: list[Path] = []

        def path(_kind: str, name: str) -> Path:
            named.append(folder / name)
            return named[-1]

        self.device.commands.clear()
        self.trace.stop()
        self.trace.pull(path)
        return named[0] if named else None

    def count(self, start: str) -> int:
        return sum(command.startswith(start) for command in self.device.commands)


def cleaned(commands: list[str]) -> bool:
    return [next((start for start in CLEANS if command.startswith(start)), command) for command in commands[-3:]] == CLEANS


def test_perfetto_gets_its_configuration_stopped_pulled_and_removed(tmp_path: Path) -> None:
    device = phone(33, "perfetto")
    traced = Traced(device)
    begun = traced.start()
    assert cleaned(device.commands[:3]), "of a profiling that was killed"
    assert "| perfetto -c - --txt -o /data/misc/perfetto-traces/navitas-" in begun and begun.endswith(" --background")
    device.pulls = [b"trace"]
    file = traced.end(tmp_path)
    assert file == tmp_path / "trace.pftrace" and file.read_bytes() == b"trace"
    assert traced.count(ENDS) == 2 and cleaned(device.commands) and traced.warnings == []
    traced.start()
    assert traced.count(REMOVES) == 0, "nothing can be left"


def test_a_pull_that_was_interrupted_can_be_called_again(tmp_path: Path) -> None:
    device = phone(33, "perfetto")
    traced = Traced(device)
    traced.start()

    with pytest.raises(KeyboardInterrupt):
        traced.trace.pull(raising(KeyboardInterrupt()))
    device.pulls = [b"trace"]
    file = traced.end(tmp_path)
    assert file is not None and file.read_bytes() == b"trace" and cleaned(device.commands)


def test_what_does_not_arrive_whole_is_reported(tmp_path: Path) -> None:
    device = phone(33, "perfetto")
    device.answers = True
    traced = Traced(device)
    traced.start()
    device.pulls = [b"tra"]
    assert traced.end(tmp_path) is not None
    assert "incomplete" in traced.warnings[0] and "did not arrive completely" in traced.warnings[0] and cleaned(device.commands)


def test_the_command_that_removes_does_not_end_itself() -> None:
    """`pkill -f` meets each shell whose command line has the name."""
    device = phone(33, "perfetto")
    Traced(device).start()
    ends, removes = device.commands[:2]
    assert "[n]avitas-" in ends and "/navitas-" not in ends and "pkill" not in removes


def test_a_perfetto_that_does_not_end_is_killed_and_reported(tmp_path: Path) -> None:
    device = phone(33, "perfetto")
    traced = Traced(device)
    traced.start()
    device.pulls, device.codes = [b"trace"], {}
    assert traced.end(tmp_path) is not None
    assert "was killed" in traced.warnings[0] and "pkill -9" in device.commands[0]


def test_android_9_is_given_bytes() -> None:
    device = phone(28, "perfetto")
    device.texts["getprop persist.traced.enable"] = "1\n"
    traced = Traced(device)
    begun = traced.start(60.0)
    assert "--txt" not in begun and traced.warnings == []
    assert base64.b64decode(begun.split()[1]) == binary_config(perfetto.config(60.0 + SPARE_S, 28))


def test_the_configuration_asks_for_what_is_read() -> None:
    config = read_config(perfetto.config(60.0, 34).encode(), is_text=True)
    assert [source.config.name for source in config.data_sources] == [
        "linux.ftrace",
        "linux.process_stats",
        "linux.sys_stats",
        "android.power",
    ]
    assert config.duration_ms == 60_000 and config.write_into_file and config.max_file_size_bytes == 1 << 30
    assert "sched/sched_switch" in config.data_sources[0].config.ftrace_config.ftrace_events


@pytest.mark.parametrize(("sdk", "requested"), [(29, False), (30, False), (31, True), (36, True)])
def test_energy_consumers_are_requested_from_android_12_on(sdk: int, requested: bool) -> None:
    config = read_config(perfetto.config(60.0, sdk).encode(), is_text=True)
    power = config.data_sources[3].config.android_power_config
    assert power.collect_power_rails and power.collect_energy_estimation_breakdown is requested


@pytest.mark.parametrize(("bound_s", "s"), [(None, LONGEST_S), (7200.0, 7200.0 + SPARE_S), (1e9, ((1 << 32) - 1) / 1e3)])
def test_a_trace_lasts_as_long_as_its_run_may(bound_s: float | None, s: float) -> None:
    begun = Traced(phone(33, "perfetto")).start(bound_s)
    assert f"duration_ms: {round(s * 1e3)}\n" in begun


def test_without_perfetto_atrace_takes_its_place_by_name(tmp_path: Path) -> None:
    device = phone(29, "atrace")
    device.texts["which perfetto"] = "/system/bin/perfetto\n"
    traced = Traced(device)
    begun = traced.start()
    assert begun.startswith("mkdir -p /data/local/tmp/navitas && touch /data/local/tmp/navitas/atrace && atrace --async_start")
    assert begun.endswith(" sched freq")
    assert "perfetto" in traced.warnings[0] and "persist.traced.enable" in traced.warnings[0]
    device.pulls = [b"text"]
    assert traced.end(tmp_path) == tmp_path / "trace.txt" and (tmp_path / "trace.txt").read_bytes() == b"text"
    assert device.commands[:2] == ["atrace --async_stop", "rm -f /data/local/tmp/navitas/atrace"] and cleaned(device.commands)
    traced.start()
    assert traced.count("which perfetto") == 0 and "traced with atrace" in traced.warnings[0], "queried once"


def test_a_cut_copy_leaves_the_mark_by_which_tracing_is_ended(tmp_path: Path) -> None:
    device = phone(26, "atrace")
    device.answers = True
    traced = Traced(device, "atrace")
    traced.start()
    device.hangs = ["atrace --async_stop"]
    traced.end(tmp_path)
    assert (
        traced.count("rm -f /data/local/tmp/navitas/atrace") == 0
        and cleaned(device.commands)
        and "incomplete" in traced.warnings[0]
    )


def test_an_atrace_that_fails_half_way_is_switched_off() -> None:
    device = phone(26, "atrace")
    device.codes["mkdir"] = 1
    traced = Traced(device, "atrace")
    assert traced.start() and "exit code 1" in traced.warnings[0] and cleaned(device.commands)


def test_a_phone_without_a_tracer_is_reported(tmp_path: Path) -> None:
    traced = Traced(phone(26))
    assert not traced.start() and "not traced" in traced.warnings[0]
    assert "perfetto" in traced.warnings[0] and "atrace" in traced.warnings[0]
    assert traced.end(tmp_path) is None
    only = Traced(phone(33, "perfetto"), "atrace")
    assert not only.start() and "perfetto" not in only.warnings[0]


def test_untraced_runs_are_not_disturbed_by_what_was_left() -> None:
    traced = Traced(phone(33, "perfetto"), "none")
    assert not traced.start() and traced.warnings == [] and cleaned(traced.device.commands) and len(traced.device.commands) == 3


def test_a_tracer_that_does_not_start_says_why() -> None:
    device = phone(33, "perfetto")
    device.texts["echo "] = "enabling tracing failed\n"
    traced = Traced(device, "perfetto")
    traced.start()
    assert "enabling tracing failed" in traced.warnings[0]


def test_a_tracer_that_hangs_while_it_starts_gives_way() -> None:
    device = phone(33, "perfetto", "atrace")
    device.hangs, device.answers = ["echo "], True
    traced = Traced(device)
    begun = traced.start()
    assert "--async_start" in begun and "no answer" in traced.warnings[0] and "traced with atrace" in traced.warnings[0]
    assert traced.count(REMOVES) == 2


def test_a_tracer_that_hangs_while_it_ends_loses_only_its_trace(tmp_path: Path) -> None:
    device = phone(33, "perfetto")
    device.answers = True
    traced = Traced(device, "perfetto")
    traced.start()
    device.hangs = ["pkill"]
    assert traced.end(tmp_path) is None
    assert ["abandoned" in text or "still be on the phone" in text for text in traced.warnings] == [True, True]
    device.hangs = []
    assert not traced.start() and "did not end before" in traced.warnings[0]
    assert traced.count(REMOVES) == 1, "what was left is removed as soon as it can be"


@pytest.mark.parametrize("hangs", [ENDS, "which", "echo "])
def test_a_lost_phone_is_not_reported_as_a_hanging_tracer(hangs: str) -> None:
    device = phone(33, "perfetto", "atrace")
    device.hangs = [hangs]
    with pytest.raises(DeviceError):
        Traced(device).start()


@pytest.mark.parametrize("at", ["echo ", "mkdir"])
def test_interrupted_while_it_starts(at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes when the phone traces already, unknown to this process."""
    device = phone(33, *({"echo ": ["perfetto"]}.get(at, ["atrace"])))
    traced = Traced(device)
    shell: Callable[..., object] = device.shell

    def interrupted(command: str, **options: float) -> object:
        done = shell(command, **options)
        if command.startswith(at):
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(device, "shell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        traced.start()
    assert traced.end(tmp_path) is None and cleaned(device.commands)


def test_stacks_are_in_a_trace_of_android_13() -> None:
    device = phone(33, "perfetto")
    traced = Traced(device)
    begun = traced.start(sampled="org.example.app")
    text = begun[begun.index("'") + 1 : begun.rindex("'")]
    (source,) = (one.config for one in read_config(text.encode(), is_text=True).data_sources if one.config.name == "linux.perf")
    assert source.target_buffer == 2, "samples cannot displace switches"
    scope = source.perf_event_config.callstack_sampling.scope
    assert list(scope.target_cmdline) == ["org.example.app", "org.example.app:*"]
    assert traced.count("mkdir -p /data/local/tmp/navitas; simpleperf") == 0 and traced.warnings == []


@pytest.mark.parametrize(("sdk", "tracer"), [(31, "perfetto"), (33, "atrace")])
def test_simpleperf_samples_where_a_trace_cannot(sdk: int, tracer: str, tmp_path: Path) -> None:
    device = phone(sdk, tracer)
    device.texts |= {"which simpleperf": "/system/bin/simpleperf\n", "mkdir -p /data/local/tmp/navitas; simpleperf": "4322\n"}
    traced = Traced(device)
    assert "linux.perf" not in traced.start(60.0, sampled="org.example.app")
    (record,) = (command for command in device.commands if "simpleperf record" in command)
    assert "--app org.example.app -e cpu-clock -f 1000 -g --duration 660 " in record and record.endswith(".log >&2; fi")
    device.pulls = [b"trace", b"SIMPLEPERF"]
    traced.end(tmp_path)
    assert (tmp_path / "samples.simpleperf").read_bytes() == b"SIMPLEPERF"
    assert any("report-sample --protobuf --show-callchain" in command for command in device.commands)
    assert traced.count("rm -f /data/local/tmp/navitas/stacks-*") == 1 and traced.count("pkill -INT -f") == 2


def test_why_stacks_are_not_sampled_is_reported() -> None:
    device = phone(31, "perfetto")
    traced = Traced(device)
    traced.start(sampled="org.example.app")
    assert "stacks were not sampled (simpleperf: not on this phone)" in traced.warnings
    device.texts |= {
        "which simpleperf": "/system/bin/simpleperf\n",
        "mkdir -p /data/local/tmp/navitas; simpleperf": "simpleperf E command.cpp:70] perf events refused\n",
    }
    traced.start(sampled="org.example.app")
    assert traced.warnings == ["stacks were not sampled (simpleperf: simpleperf E command.cpp:70] perf events refused)"]

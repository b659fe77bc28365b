"""`--mode sample`: nothing has probes, and what needs probes is refused."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from fake_device import FakeDevice
from support.bundle_maker import FILES, MANIFEST, make
from support.capture import Capture

from navitas.base.errors import DeviceError, ExitCode, UsageError
from navitas.capture.build import async_profiler
from navitas.capture.collect.apps.app_files import event_files, sample_files
from navitas.capture.collect.options import ProfileOptions, check_options, probes_of
from navitas.capture.collect.progress import LoggedProgress
from navitas.capture.collect.runs.runtime_config import properties
from navitas.capture.collect.trace.stack_sampling import check_sampling
from navitas.capture.collect.trace.tracer import Tracing
from navitas.cli.main import run
from navitas.cli.workflows.building import ensure_profiler
from navitas.virtual_phone.host_java import sampling_agent

SAMPLE = ProfileOptions(mode="sample")


def test_the_runtime_records_tests_and_counters_alone() -> None:
    assert "mode=none" in properties(SAMPLE, [], "/out", 0).decode().splitlines()
    assert probes_of("method", "sample") == "none"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"baseline": True}, "--baseline corrects the cost of probes, and --mode sample has none"),
        ({"record": "hooks"}, "--record hooks records calls of APIs by probes"),
        ({"record": "both"}, "--record both records calls of APIs by probes"),
        ({"granularity": "block"}, "--mode sample sets how calls are recorded, but --granularity block records none"),
    ],
)
def test_what_needs_probes_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_options(ProfileOptions(mode="sample", **changes))
    check_options(ProfileOptions(mode="sample", record="sampling"))


@pytest.mark.parametrize("command", ["profile", "record"])
@pytest.mark.parametrize("words", [["--include", "a.**"], ["--exclude", "a.**"], ["--skip-trivial"], ["--hook-libraries"]])
def test_options_of_probes_are_refused_before_the_build(command: str, words: list[str], tmp_path: Path, capsys: Capture) -> None:
    assert run([command, str(tmp_path), "--mode", "sample", "--record", "sampling", *words]) == ExitCode.USAGE
    assert f"{words[0]} is for probes, and --mode sample has none" in capsys.readouterr().err


def test_test_probes_are_refused_but_not_those_of_a_settings_file(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "navitas.toml").write_text("[profile]\ntest-probes = false\n")
    assert run(["profile", str(tmp_path), "--mode", "sample"]) != ExitCode.OK
    assert "is for probes" not in capsys.readouterr().err
    assert run(["profile", str(tmp_path), "--mode", "sample", "--no-test-probes"]) == ExitCode.USAGE
    assert "--test-probes is for probes" in capsys.readouterr().err.replace("--no-", "--")


def test_a_bundle_with_probes_is_refused(tmp_path: Path, capsys: Capture) -> None:
    bundle = make(tmp_path / "a.bundle.zip", FILES | {"bundle.json": json.dumps(MANIFEST)})
    assert run(["profile", "--bundle", str(bundle), "--mode", "sample"]) == ExitCode.USAGE
    said = " ".join(capsys.readouterr().err.split())
    assert "probes of kind 'methods', and --mode sample needs 'none'" in said
    assert "-Pnavitas.probes=none, or leave out --mode sample" in said


def test_only_a_virtual_phone_needs_async_profiler(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = []
    monkeypatch.setattr(async_profiler, "is_provided", lambda: False)
    monkeypatch.setattr(async_profiler, "fetch", lambda *_, **__: fetched.append(1))
    ensure_profiler(SAMPLE, LoggedProgress(), Path(), virtual=False)
    ensure_profiler(ProfileOptions(), LoggedProgress(), Path(), virtual=True)
    assert not fetched
    ensure_profiler(SAMPLE, LoggedProgress(), Path(), virtual=True)
    assert fetched


@pytest.mark.parametrize(
    ("flags", "sdk", "tracing", "tools", "message"),
    [
        ("flags=[ HAS_CODE ]", 34, "auto", ("perfetto",), "neither debuggable nor profileable"),
        ("flags=[ DEBUGGABLE HAS_CODE ]", 34, "auto", ("perfetto",), ""),
        ("privatePkgFlags=[ PROFILEABLE_BY_SHELL ]", 34, "perfetto", ("perfetto",), ""),
        ("flags=[ DEBUGGABLE ]", 31, "auto", ("perfetto",), "perfetto: samples stacks from Android 13 on; simpleperf: not on"),
        ("flags=[ DEBUGGABLE ]", 31, "auto", ("perfetto", "simpleperf"), ""),
        ("flags=[ DEBUGGABLE ]", 34, "atrace", ("perfetto",), "perfetto: switched off by --trace atrace"),
        ("flags=[ DEBUGGABLE ]", 34, "auto", (), "perfetto: not on this phone; simpleperf: not on this phone"),
    ],
)
def test_a_phone_that_cannot_sample_an_app_is_refused_with_the_reason(
    flags: str, sdk: int, tracing: Tracing, tools: tuple[str, ...], message: str
) -> None:
    device = FakeDevice({"dumpsys package": flags} | {f"which {tool}": f"/system/bin/{tool}\n" for tool in tools}).with_info(
        sdk=sdk
    )
    with pytest.raises(DeviceError, match=message) if message else nullcontext():
        check_sampling(device, "org.example.app", tracing)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--trace", "none"], "takes the CPU time of an app in use from the trace, and --trace is none"),
        (["--map", "map.json"], "--map names methods with probes, and --mode sample has none"),
    ],
)
def test_an_app_in_use_needs_a_trace_and_no_map(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("map.json").write_text("{}")
    assert run(["record", "org.example.app", "--device", "x", "--mode", "sample", *words]) == ExitCode.USAGE
    assert message in " ".join(capsys.readouterr().err.split())


def test_samples_are_pulled_beside_events() -> None:
    names = ["samples-12.jfr", "samples-x.jfr", "events-12.nvch", "navitas.properties", "samples-12.jfr.part"]
    assert (sample_files(names), event_files(names)) == (["samples-12.jfr"], ["events-12.nvch"])


def test_the_phone_samples_if_the_tests_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(async_profiler, "find", lambda: Path("/lib.so"))
    (argument,) = sampling_agent(Path("/data"), [("class", "a.B"), (async_profiler.SAMPLING, "true")])
    assert argument.startswith("-agentpath:/lib.so=start,") and argument.endswith("file=/data/files/navitas/samples-%p.jfr")
    assert sampling_agent(Path("/data"), [("class", "a.B")]) == []
    assert sampling_agent(Path("/data"), [("log", "true"), (async_profiler.SAMPLING, "true")]) == [], "a list of tests runs none"

"""Recordings of newer Navitas versions. Unknown parts are kept, counted and named; only a newer major version is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support import chunk_writer as cw
from support.capture import Capture
from support.golden import GOLDEN
from support.reports import data_of

import navitas
from navitas.base.errors import RecordingError
from navitas.cli.main import run
from navitas.energy.analyze.profile import Profile
from navitas.recording.late_maps import add_map
from navitas.recording.store import open_recording
from navitas.report import json_report

Edit = Callable[[dict[str, Any]], object]


def edited(folder: Path, edit: Edit, name: str = "manifest.json") -> Path:
    path = folder / name
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))
    return folder


def found(profile: Profile, code: str) -> list[tuple[str | None, int]]:
    """Return the losses with a code; a warning names them too."""
    (warning,) = [warning for warning in profile.warnings if warning.code == code]
    losses = [(loss.name, loss.count) for loss in profile.losses if loss.what == code]
    assert losses and all(name in warning.message for name, _ in losses[:5] if name is not None)
    assert "Update Navitas" in warning.remedy
    return losses


@cache
def golden() -> Profile:
    return navitas.load(GOLDEN)


def figures(profile: Profile) -> tuple[object, ...]:
    return profile.totals, profile.tests, profile.method_totals()


EDITS: list[tuple[Edit, str, list[tuple[str, int]]]] = [
    (lambda m: m.update(weather="fine", seasons=[1, {"a": 2}]), "unknown_fields", [("seasons", 1), ("weather", 1)]),
    (lambda m: m["device"].update(cores=[1, 2]), "unknown_fields", [("device.cores", 1)]),
    (lambda m: [test.update(tags=["slow"]) for test in m["tests"]], "unknown_fields", [("tests.tags", 3)]),
    (lambda m: m["device"]["policies"][0].update(name="big"), "unknown_fields", [("device.policies.name", 1)]),
    (
        lambda m: m["sources"].append({"id": 40, "path": "/sys/x", "kind": "light_sensor", "lux": 1}),
        "unknown_sources",
        [("light_sensor", 1)],
    ),
    (
        lambda m: m["files"].append({"path": "runs/0/gpu.bin", "kind": "gpu", "bytes": 3, "sha256": "0" * 64, "run": 0}),
        "unknown_files",
        [("gpu", 1)],
    ),
    (lambda m: m["tests"][0].update(status="flaky"), "unknown_words", [("tests.status=flaky", 1)]),
    (lambda m: m["runs"][1].update(exit="evicted"), "unknown_words", [("runs.exit=evicted", 1)]),
    (lambda m: m["device"].update(kind="watch"), "unknown_words", [("device.kind=watch", 1)]),
    (lambda m: m["power_profile"].update(voltage_source="rail"), "unknown_words", [("power_profile.voltage_source=rail", 1)]),
    (lambda m: m.update(state="resumable"), "unknown_words", [("state=resumable", 1)]),
    (
        lambda m: m.update(components=["cpu", "screen", "radar", "projector"]),
        "unknown_components",
        [("radar", 1), ("projector", 1)],
    ),
]


@pytest.mark.parametrize(("edit", "code", "losses"), EDITS)
def test_unknown_parts_of_a_manifest_are_counted_and_named(
    recording: Path, edit: Edit, code: str, losses: list[tuple[str, int]]
) -> None:
    profile = navitas.load(edited(recording, edit))
    assert found(profile, code) == losses
    assert profile.totals == golden().totals and profile.method_totals() == golden().method_totals()
    jsonschema.validate(data_of(json_report.write, profile), json_report.schema())
    assert run(["report", str(recording)]) == 0


@pytest.mark.parametrize("granularity", ["method", "class"])
def test_values_of_a_forged_manifest_do_not_steer_the_terminal(recording: Path, granularity: str, capsys: Capture) -> None:
    evil = "\x1b[31mEVIL\n\u202e\ud800"

    def forged(manifest: dict[str, Any]) -> None:
        manifest.update({evil: 1}, state=evil, components=[evil], settings={"granularity": granularity, "mode": evil})
        manifest["device"].update(kind=evil)
        manifest["power_profile"].update(voltage_source=evil)
        manifest["sources"][0].update(kind=evil)
        for entry in (*manifest["tests"], *manifest["runs"]):
            entry.update({"status": evil, "exit": evil})

    assert run(["report", str(edited(recording, forged))]) == 0
    printed = "".join(capsys.readouterr())
    assert "EVIL" in printed and not {"\x1b", "\u202e", "\ud800", "\x07"} & set(printed)


@pytest.mark.parametrize("field", ["class", "method", "module", "status"])
def test_text_with_surrogates_is_shown_in_tables(recording: Path, field: str) -> None:
    profile = navitas.load(edited(recording, lambda m: [test.update({field: "\ud800x"}) for test in m["tests"]]))
    column = profile.to_arrow()["status" if field == "status" else f"test_{field}"]
    assert "?x" in column.chunk(0).dictionary.to_pylist()


def test_settings_may_have_any_structure(recording: Path) -> None:
    settings = {"mode": "events", "governor": {"name": "x", "steps": [1, None]}, "odd": "\ud800"}
    profile = navitas.load(edited(recording, lambda m: m.update(settings=settings)))
    assert profile.about.settings["governor"] == settings["governor"]
    assert data_of(json_report.write, profile)["settings"]["governor"] == settings["governor"]


def test_a_newer_minor_version_is_named_and_read(recording: Path) -> None:
    profile = navitas.load(edited(recording, lambda m: m.update(schema_minor=9, navitas_version="7.1")))
    (warning,) = [warning for warning in profile.warnings if warning.code == "newer_recording"]
    assert "1.9" in warning.message and "Navitas 7.1" in warning.message
    assert figures(profile) == figures(golden())


def test_recordings_of_this_and_older_versions_have_nothing_unknown(recording: Path) -> None:
    assert open_recording(GOLDEN).unknown == {}
    codes = {warning.code for warning in golden().warnings}
    assert not {code for code in codes if code.startswith(("unknown", "newer"))}


@pytest.mark.parametrize("version", [2, 99, 10**30])
def test_a_newer_major_version_is_refused_with_a_remedy(recording: Path, version: int) -> None:
    for name in ("manifest.json", "maps/36b9b900498770ce.json"):
        edited(recording, lambda document: document.update(schema_version=version), name)
        with pytest.raises(RecordingError, match=f"schema_version {version}") as error:
            navitas.load(recording)
        assert name in error.value.message and "Update Navitas" in error.value.remedy
        edited(recording, lambda document: document.update(schema_version=1), name)


@pytest.mark.parametrize("version", ["2", 2.0, 0, -1, True, None, [1], "\x1b[31m"])
def test_a_version_that_is_not_a_number_is_refused(recording: Path, version: object) -> None:
    edited(recording, lambda manifest: manifest.update(schema_version=version))
    with pytest.raises(RecordingError, match="is not a version") as error:
        navitas.load(recording)
    assert "\x1b" not in error.value.message


def test_many_unknown_names_become_few_losses(recording: Path) -> None:
    names = [f"field{n:04}" for n in range(5000)]
    profile = navitas.load(edited(recording, lambda m: m.update(dict.fromkeys(names, 1))))
    losses = found(profile, "unknown_fields")
    assert len(losses) == 21 and losses[-1] == (None, 4980) and sum(count for _, count in losses) == 5000
    long = navitas.load(edited(recording, lambda m: m.update({"x" * 100_000: 1})))
    assert all(len(notice.message) < 1000 for notice in long.warnings)


def test_a_method_maps_unknown_fields_are_named(recording: Path) -> None:
    def edit(document: dict[str, Any]) -> None:
        document["language"] = "kotlin"
        document["classes"][0].update(source="generated", package="a.b")

    profile = navitas.load(edited(recording, edit, "maps/36b9b900498770ce.json"))
    assert sorted(found(profile, "unknown_fields")) == [("classes.package", 1), ("language", 1)]
    assert found(profile, "unknown_words") == [("classes.source=generated", 1)]
    assert {loss.file for loss in profile.losses if loss.what == "unknown_fields"} == {"maps/36b9b900498770ce.json"}


def append(folder: Path, *chunks: bytes) -> Path:
    path = folder / "runs/0/events-4000.nvch"
    path.write_bytes(path.read_bytes() + b"".join(chunks))
    return folder


def test_unknown_chunks_and_readings_are_counted_and_named(recording: Path) -> None:
    times = 1_000_100_000_000, 1_000_100_000_001
    readings = cw.counters_payload([(*times, 77, b"x"), (*times, 40, b"y")])
    edited(recording, lambda m: m["sources"].append({"id": 40, "path": "/sys/x", "kind": "light_sensor"}))
    append(recording, cw.chunk(99, b"abc", 1), cw.chunk(99, b"", 0, seq=1), cw.chunk(70, b"abc", 1))
    append(recording, cw.chunk(cw.COUNTERS, readings, 2, seq=1000))
    profile = navitas.load(recording)
    assert found(profile, "unknown_chunks") == [("70", 1), ("99", 2)]
    assert {(loss.file, loss.run) for loss in profile.losses if loss.what == "unknown_chunks"} == {("runs/0/events-4000.nvch", 0)}
    assert found(profile, "unknown_readings") == [("light_sensor", 1), ("source 77", 1)]
    assert profile.totals == golden().totals


def test_a_file_of_newer_chunks_is_counted(recording: Path) -> None:
    (recording / "runs/0/events-4000.nvch").write_bytes(cw.chunk(cw.CALLS, bytes(8), 1, version=2) * 3)
    assert found(navitas.load(recording), "newer_chunks") == [("2", 3)]


def test_newer_chunks_among_known_ones_are_not_damage(recording: Path) -> None:
    append(recording, *[cw.chunk(cw.CALLS, bytes(8), 1, version=2)] * 3, cw.chunk(70, b"abc", 1), b"NVCH\3\0other layout")
    profile = navitas.load(recording)
    assert found(profile, "newer_chunks") == [("2", 3), ("3", 1)]
    assert not [loss for loss in profile.losses if loss.what == "damaged_bytes"]
    assert profile.totals == golden().totals


def test_lines_of_a_newer_log_transport_are_counted(recording: Path) -> None:
    path = recording / "runs/1/logcat.txt"
    path.write_text(path.read_text().replace(" NV1 ", " NV2 "))
    lines = path.read_text().count(" NV2 ")
    assert lines and found(navitas.load(recording), "newer_chunks") == [("2", lines)]


def test_adding_a_map_changes_nothing_else(recording: Path) -> None:
    def newer(manifest: dict[str, Any]) -> None:
        manifest.update(schema_minor=9, weather={"rain": [1, 2.5, None]}, components=["cpu", "screen"])
        manifest["sources"].append({"id": 40, "path": "/sys/x", "kind": "light_sensor", "lux": 3})
        manifest["tests"][0]["tags"] = ["\ud800"]
        manifest["runs"][0].update(map_id="0" * 16, cpu_set=[1])

    edited(recording, newer)
    before = json.loads((recording / "manifest.json").read_text())
    add_map(recording, "0123456789abcdef", ":app", b"{}")
    after = json.loads((recording / "manifest.json").read_text())
    assert after["runs"][0] == before["runs"][0] | {"map_id": "0123456789abcdef", "module": ":app"}
    assert after["maps"][:1] == before["maps"] and after["maps"][1]["id"] == "0123456789abcdef"
    same = [name for name in before if name not in {"maps", "runs"}]
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert list(after) == list(before)


def test_warnings_of_version_1_0_get_their_run_from_the_message(recording: Path) -> None:
    def warned(manifest: dict[str, Any], message: str, **more: object) -> None:
        manifest["warnings"] = [{"code": "trace", "message": message, "remedy": "", **more}]

    old = navitas.load(edited(recording, lambda m: warned(m, "runs/1: the phone has no tracer")))
    new = navitas.load(edited(recording, lambda m: (warned(m, "the phone has no tracer", run=1), m.update(schema_minor=1))))
    assert old.warnings == new.warnings
    (warning,) = [notice for notice in new.warnings if notice.code == "trace"]
    assert (warning.message, warning.run) == ("runs/1: the phone has no tracer", 1)
    literal = navitas.load(edited(recording, lambda m: warned(m, "runs/1: is what the phone said")))
    assert [(notice.message, notice.run) for notice in literal.warnings if notice.code == "trace"] == [
        ("runs/1: is what the phone said", None)
    ]

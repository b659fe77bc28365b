"""`navitas power`: what is shown, checked, and said of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from support.capture import Capture

from navitas.capture.collect.phone_profile import Found
from navitas.cli.main import run
from navitas.cli.power import group as command
from navitas.power import catalog
from navitas.recording.manifest import Policy

DEFECTS = """<?xml version="1.0"?>
<device name="Android">
  <item name="cpu.idle">3,5</item>
  <item name="cpu.awake">7</item>
  <array name="cpu.active"><value>50</value></array>
  <array name="cpu.speeds"><value>200000</value><value>100000</value></array>
</device>
"""


@pytest.fixture
def profile(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "phone.xml"
        path.write_text(text)
        return str(path)

    return write


def test_without_arguments_the_names(capsys: Capture) -> None:
    assert run(["power", "show"]) == 0
    assert capsys.readouterr().out.split() == catalog.names()


STEPS = """<device name="Android">
  <item name="cpu.idle">3</item>
  <array name="cpu.scaling_step_power.policy0"><value>10</value><value>20</value></array>
</device>
"""


def test_a_profile_without_speeds_is_one_for_its_phone(profile: Callable[[str], str], capsys: Capture) -> None:
    """From Android 14 on the speeds are the kernel's."""
    assert run(["power", "validate", profile(STEPS)]) == 0
    assert "usable on a phone that reports its frequencies" in capsys.readouterr().out
    assert run(["power", "validate", profile(STEPS.replace("20", "-20"))]) == 1


def test_speeds_that_the_profile_lacks_are_read_from_the_phone(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(command, "device_of", lambda _: nullcontext())
    monkeypatch.setattr(command.topology, "read_policies", lambda _: [Policy(id=0, cpus=[0, 1])])
    monkeypatch.setattr(command.power, "profile_of_phone", lambda *_: Found(STEPS.encode(), "its dump"))
    monkeypatch.setattr(command.power, "read_frequencies", lambda *_: {0: [300_000, 600_000]})
    assert run(["power", "show", "--device", "x"]) == 0
    assert "600" in capsys.readouterr().out


def test_a_profile_is_shown(capsys: Capture) -> None:
    assert run(["power", "show", "google-pixel-6"]) == 0
    out = capsys.readouterr().out
    assert "google-pixel-6: battery 4614 mAh" in out
    assert "cluster 2: 2 cores" in out and "MHz" in out
    assert "components: screen, wifi, modem, bluetooth, gnss, camera, flashlight, audio, video, idle; without" in " ".join(
        out.split()
    )


def test_json_lists_the_entries_of_each_component(capsys: Capture, profile: Callable[[str], str]) -> None:
    assert run(["power", "show", "google-pixel-6", "--json", "-"]) == 0
    shown = {one["component"]: one for one in json.loads(capsys.readouterr().out)["components"]}
    assert shown["camera"] == {
        "component": "camera",
        "covered": True,
        "used": ["camera.avg"],
        "missing": [],
        "unfilled": [],
        "invalid": [],
    }
    assert (shown["memory"]["covered"], shown["memory"]["missing"]) == (False, ["memory.bandwidths"])
    assert run(["power", "validate", profile(DEFECTS), "--json", "-"]) == 0
    assert len(json.loads(capsys.readouterr().out)["components"]) == len(shown)


def test_every_defect_is_named_with_its_line(capsys: Capture, profile: Callable[[str], str]) -> None:
    assert run(["power", "validate", profile(DEFECTS)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "note: gnss: profile has no gps.on" in lines
    assert [line for line in lines if not line.startswith("note: ")] == [
        "line 3: cpu.idle: '3,5' is not a number (use a decimal point), 0 is used",
        "battery.capacity is missing: no battery share can be reported",
        "line 6: cpu.speeds has 2 values but cpu.active has 1: the surplus is ignored",
        "line 6: cpu.speeds: speeds are not ascending, they are sorted",
        "phone: the cores of a cluster are not stated, 1 is assumed",
        "components: idle; without figures: screen, wifi, modem, bluetooth, gnss, camera, flashlight, audio, video, memory",
        "usable, 5 defects",
    ]


def test_more_defects_than_a_report_shows(capsys: Capture, profile: Callable[[str], str]) -> None:
    items = "".join(f'<item name="x{k}">?</item>\n' for k in range(200))
    assert run(["power", "validate", profile(DEFECTS.replace("</device>", items + "</device>"))]) == 0
    *lines, note, last = capsys.readouterr().out.splitlines()
    assert last == "usable, 205 defects"
    assert sum(not line.startswith(("note: ", "components: ")) for line in lines) == 205
    assert note.startswith("note: no component uses x0, x1, ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DEFECTS.replace(">50<", ">0.1<"), "AOSP's placeholder"),
        ("<html/>", "the root is <html>"),
        ("<device>", "not well-formed"),
        ('<device><item name="a">1</item></device>', "no speeds and currents for the CPU"),
    ],
)
def test_an_unusable_profile_fails_the_check(capsys: Capture, profile: Callable[[str], str], text: str, words: str) -> None:
    assert run(["power", "validate", profile(text)]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("unusable: ") and words in last


def test_wrong_usage(capsys: Capture) -> None:
    assert run(["power", "show", "google-pixel-6", "--device", "x"]) == 2
    assert run(["power", "show", "no-such-phone"]) == 2
    assert "There is no power profile" in capsys.readouterr().err

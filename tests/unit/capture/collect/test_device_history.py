"""Recording the device's states: settings, and the part of the history that is of the run's time."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fake_device import FakeDevice
from hypothesis import given
from hypothesis import strategies as st

from navitas.capture.collect.readings.device_history import DeviceHistory

START = "dumpsys batterystats -c --history-start "
WHOLE = "dumpsys batterystats -c --history"
ANSWERS = {
    "pm list packages -U": "package:org.example.app uid:10057\npackage:org.example.app.test uid:10058\n",
    "settings get system screen_brightness_mode": "0\n",
    "settings get system screen_brightness": "120\n",
    START + "1": "9,0,i,vers,36,214,B,B\nNEXT: 501\n",
}
HISTORY = "9,0,i,vers,36,214,B,B\n9,h,0:TIME:1700000000000\n9,h,0,+S\nNEXT: 900\n"


@dataclass
class Phone(FakeDevice):
    """Answers `exec_out` by the command, too."""

    files: dict[str, str] = field(default_factory=dict)

    def exec_out(self, command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        self._ask(command)
        text = self.files.get(command, "")
        for at in range(0, len(text), 7):
            yield text[at : at + 7].encode()


class Warnings:
    """Collects the warnings of a recording."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, code: str, message: str, remedy: str = "", *, run: int | None = None) -> None:
        assert code == "device_states" and remedy
        self.texts.append(message)


def recorded(phone: Phone, file: Path, runs: int = 1) -> tuple[str, list[str]]:
    warnings = Warnings()
    history = DeviceHistory(phone, warnings)
    for run in range(runs):
        history.begin(file, "org.example.app")
        history.end(file, run)
    return file.read_text() if file.is_file() else "", warnings.texts


def test_settings_then_the_history_since_the_last_event_before_the_run(tmp_path: Path) -> None:
    phone = Phone(dict(ANSWERS), files={START + "500": HISTORY})
    text, warnings = recorded(phone, tmp_path / "batterystats.txt")
    head = ["# uid 10057", "# start screen_brightness=120 screen_brightness_mode=0"]
    assert text.splitlines() == [*head, head[1].replace("start", "end"), *HISTORY.splitlines()]
    assert not warnings
    assert not any("--reset" in command or "--enable" in command for command in phone.commands)


def test_an_interrupted_end_can_be_called_again(tmp_path: Path) -> None:
    phone = Phone(dict(ANSWERS), files={START + "500": HISTORY})
    file, warnings = tmp_path / "batterystats.txt", Warnings()
    history = DeviceHistory(phone, warnings)
    history.begin(file, "org.example.app")
    again = copy(phone)

    def interrupted(command: str, *, timeout_s: float = 60.0) -> Iterator[bytes]:
        yield HISTORY.encode()
        raise KeyboardInterrupt

    phone.exec_out = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        history.end(file, 0)
    phone.exec_out = again.exec_out  # type: ignore[method-assign]
    history.end(file, 0)
    assert file.read_text() == recorded(again, tmp_path / "whole.txt")[0] and not warnings.texts


def test_later_runs_continue_where_the_last_one_ended(tmp_path: Path) -> None:
    later = HISTORY.replace("900", "950")
    phone = Phone(dict(ANSWERS), files={START + "500": HISTORY, START + "899": later})
    text, warnings = recorded(phone, tmp_path / "batterystats.txt", runs=2)
    assert text.endswith(later) and not warnings
    assert sum(command.startswith("pm list") for command in phone.commands) == 1


def test_a_phone_without_history_start_gives_the_whole_history(tmp_path: Path) -> None:
    phone = Phone({**ANSWERS, START + "1": "Unknown option: --history-start\n"}, files={WHOLE: HISTORY})
    text, warnings = recorded(phone, tmp_path / "batterystats.txt")
    assert text.endswith(HISTORY) and not warnings


def test_a_history_that_was_reset_during_the_run(tmp_path: Path) -> None:
    whole = HISTORY.replace("900", "20")
    phone = Phone(dict(ANSWERS), files={START + "500": "9,0,i,vers,36,214,B,B\nNEXT: 20\n", WHOLE: whole})
    text, warnings = recorded(phone, tmp_path / "batterystats.txt")
    assert text.endswith(whole) and text.count("vers") == 1 and not warnings


def test_a_phone_without_batterystats(tmp_path: Path) -> None:
    phone = Phone(dict(ANSWERS), files={WHOLE: "Can't find service: batterystats\n"})
    text, warnings = recorded(phone, tmp_path / "batterystats.txt")
    assert "# start" in text and len(warnings) == 1
    assert "serial-1" in warnings[0] and "Can't find service" in warnings[0]


def test_a_phone_that_does_not_answer_costs_the_states_only(tmp_path: Path) -> None:
    phone = Phone(dict(ANSWERS), hangs=["dumpsys batterystats"])
    _, warnings = recorded(phone, tmp_path / "batterystats.txt")
    assert warnings and all("no answer" in text for text in warnings)


@given(st.text(max_size=50), st.text(max_size=50), st.text(max_size=200))
def test_any_answer_is_kept_or_reported(tmp_path_factory: object, setting: str, uids: str, dump: str) -> None:
    folder = tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    answers = {"pm list": uids, "settings get": setting, START + "1": dump}
    phone = Phone(answers, files={START + "500": dump, WHOLE: dump})
    text, warnings = recorded(phone, folder / "batterystats.txt")
    assert text.startswith("# ") and (warnings or "9,h," in dump)


def test_the_times_of_radios_at_the_start_and_the_end(tmp_path: Path) -> None:
    replies = {"dumpsys batterystats -c --charged": "9,0,l,gwfcd,20,30,0.0,0.5,7\n9,0,l,gmcd,1,2,x y\n9,0,l,gw\n"}
    text, warnings = recorded(Phone({**ANSWERS, **replies}, files={START + "500": HISTORY}), tmp_path / "file")
    assert [line for line in text.splitlines() if "cd_" in line] == [
        "# gwfcd_start 20 30 0.0 0.5 7",
        "# gwfcd_end 20 30 0.0 0.5 7",
    ]
    assert not warnings

"""The phone's settings: changed for a measurement, and always restored."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from state_phone import StatePhone

from navitas.base.errors import DeviceError
from navitas.capture.collect.state import guard
from navitas.capture.collect.state.guard import prepared
from navitas.capture.collect.state.journal import Journal
from navitas.capture.device.base import ShellResult


@pytest.fixture
def said() -> list[str]:
    return []


def keep(said: list[str]) -> guard.Warn:
    return lambda code, message, remedy: said.append(f"{code}: {message} [{remedy}]")


def test_the_phone_is_set_and_given_back(journals: Path, said: list[str]) -> None:
    phone = StatePhone()
    before = phone.state()
    with prepared(phone, keep(said)):
        assert phone.values["system screen_brightness"] == "128" and phone.values["system screen_brightness_mode"] == "0"
        assert phone.values["global window_animation_scale"] == "0"
        assert (phone.awake, phone.unplugged, phone.doze) == ("Awake", True, {"deep": "0", "light": "0"})
        assert phone.values["global wifi_on"] == "2", "radios stay on by default"
        journal = json.loads((journals / "serial-1.json").read_text())
        assert journal["changed"]["system/screen_brightness"] == "77"
        assert journal["changed"]["global/window_animation_scale"] == "null"
    assert phone.state() == before
    assert said == [] and list(journals.iterdir()) == []
    deleted = [command for command in phone.done if command.startswith("settings delete")]
    assert "settings delete global window_animation_scale" in deleted, "what was not there is not there again"


def test_one_call_reads_one_sets_one_gives_back() -> None:
    phone = StatePhone()
    with prepared(phone, keep([])):
        pass
    assert phone.calls == 3


def test_a_setting_with_the_wanted_value_is_not_changed(journals: Path, said: list[str]) -> None:
    phone = StatePhone()
    with prepared(phone, keep(said)):
        phone.done.clear()
        other = replace(
            phone, info=replace(phone.info, serial="other"), values={**phone.values, "global animator_duration_scale": "0.0"}
        )
        with prepared(other, keep(said)):
            assert not (journals / "other.json").exists()
            assert not [
                command for command in other.done if command.startswith(("settings put", "input", "dumpsys battery unplug"))
            ]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_whatever_ends_the_measurement(journals: Path, error: type[BaseException]) -> None:
    phone = StatePhone()
    before = phone.state()
    with pytest.raises(error), prepared(phone, keep([])):
        raise error
    assert phone.state() == before and list(journals.iterdir()) == []


class Pressed(StatePhone):
    """Ctrl-C is pressed while the phone gets its own values back."""

    is_armed = False

    def shell(self, command: str, *, timeout_s: float = 30.0) -> ShellResult:
        if self.is_armed:
            self.is_armed = False
            raise KeyboardInterrupt
        return super().shell(command, timeout_s=timeout_s)


def test_an_interrupted_restoration_is_done_again(journals: Path) -> None:
    phone = Pressed()
    before = phone.state()
    with pytest.raises(KeyboardInterrupt), prepared(phone, keep([])):
        phone.is_armed = True
    assert phone.state() == before and list(journals.iterdir()) == []


def test_a_killed_measurement_is_made_good_by_the_next(journals: Path, said: list[str]) -> None:
    phone = StatePhone()
    before = phone.state()
    killed = prepared(phone, keep(said))
    killed.__enter__()
    left = (journals / "serial-1.json").read_bytes()
    killed.__exit__(None, None, None)
    phone = StatePhone(values={**phone.values, "system screen_brightness": "128"}, unplugged=True, awake="Awake")
    (journals / "serial-1.json").write_bytes(left)
    with prepared(phone, keep(said)):
        assert json.loads((journals / "serial-1.json").read_bytes())["changed"]["system/screen_brightness"] == "77"
    assert phone.state() == before
    assert any("brightness, left changed by an earlier measurement, was restored" in text for text in said)


def test_a_cable_that_is_pulled_leaves_the_journal(journals: Path, said: list[str]) -> None:
    phone = StatePhone(lost_from=3)
    with prepared(phone, keep(said)):
        pass
    assert phone.unplugged, "it is not reachable"
    assert "lost while its settings were changed" in said[-1] and "navitas doctor --device serial-1 --restore" in said[-1]
    assert (journals / "serial-1.json").exists()
    phone.lost_from = 10**9
    assert "battery's charging state" in guard.restore_left(phone, Journal(phone.info), keep(said))
    assert not phone.unplugged and not (journals / "serial-1.json").exists()


def test_what_this_phone_has_not_is_named_and_left(said: list[str]) -> None:
    phone = StatePhone(missing=("cmd deviceidle", "dumpsys battery"))
    with prepared(phone, keep(said)):
        assert phone.values["system screen_brightness"] == "128"
    assert [text.partition(" [")[0] for text in said] == [
        "state: the phone does not report its deep doze: left as it is",
        "state: the phone does not report its light doze: left as it is",
        "state: the phone does not report its battery's charging state: left as it is",
    ]


def test_setters_that_do_nothing_are_found_out(said: list[str]) -> None:
    phone = StatePhone(stubborn=("settings put system screen_brightness ",))
    with prepared(phone, keep(said)):
        pass
    assert said[0].startswith("state: the phone's brightness could not be set to 128")


def test_what_cannot_be_put_back_stays_in_the_journal(journals: Path, said: list[str]) -> None:
    phone = StatePhone()
    with prepared(phone, keep(said)):
        phone.stubborn = ("dumpsys battery reset",)
    assert "could not be restored to live" in said[0]
    assert json.loads((journals / "serial-1.json").read_text())["changed"] == {"battery": "live"}


def test_radios_off_on_request(said: list[str]) -> None:
    phone = StatePhone()
    with prepared(phone, keep(said), radios_off=True):
        assert phone.values["global wifi_on"] == "0"
    assert phone.values["global wifi_on"] == "1"
    assert any("mobile data" in text and "left as it is" in text for text in said), "this phone has no such radio"


@pytest.mark.parametrize("serial", ["192.168.1.7:5555", "adb-XYZ (2)._adb-tls-connect._tcp", "adb-XYZ._adb._tcp"])
def test_the_radio_that_adb_uses_stays_on(said: list[str], serial: str) -> None:
    phone = StatePhone()
    phone.info = replace(phone.info, serial=serial)
    with prepared(phone, keep(said), radios_off=True):
        assert phone.values["global wifi_on"] == "2"
    assert "Wi-Fi stays on" in said[0]


def test_two_profilings_of_one_phone(said: list[str]) -> None:
    phone = StatePhone()
    with prepared(phone, keep(said)):
        with pytest.raises(DeviceError, match="another profiling"), prepared(phone, keep(said)):
            raise AssertionError("not reached")
        assert phone.unplugged, "the second one changed nothing"


def test_without_a_place_for_the_journal_nothing_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    phone = StatePhone()
    before = phone.state()
    with prepared(phone, keep(said)):
        assert phone.state() == before
    assert "were not changed" in said[0]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"changed": {"a": 1}}', b'{"changed": []}', b"\xff", b"[" * 9999])
def test_a_damaged_journal_is_named(journals: Path, content: bytes) -> None:
    journals.mkdir(parents=True)
    (journals / "serial-1.json").write_bytes(content)
    with pytest.raises(DeviceError, match=r"serial-1\.json.*damaged") as error, prepared(StatePhone(), keep([])):
        pass
    assert "battery reset" in error.value.remedy


def test_a_newer_version_s_entries_are_kept(journals: Path) -> None:
    journals.mkdir(parents=True)
    (journals / "serial-1.json").write_text('{"changed": {"future": "x; reboot", "system/screen_brightness": "9"}}')
    phone = StatePhone()
    guard.restore_left(phone, Journal(phone.info), keep([]))
    assert phone.values["system screen_brightness"] == "9" and not [c for c in phone.done if "reboot" in c]
    assert json.loads((journals / "serial-1.json").read_text())["changed"] == {"future": "x; reboot"}


def test_another_phone_at_an_address_has_another_journal() -> None:
    phone = StatePhone()
    at = replace(phone.info, serial="192.168.0.7:5555", model="A phone")
    Journal(phone.info).path.parent.mkdir(parents=True)
    Journal(at).write({"system/screen_brightness": "9"})
    assert Journal(at).read() and Journal(at).path.name == "192.168.0.7_5555-A_phone.json"
    assert Journal(replace(at, model="Another")).read() is None


def test_what_killed_runs_on_virtual_phones_left_is_forgotten(journals: Path) -> None:
    journals.mkdir(parents=True)
    for name, kind, age_s in (
        ("127.0.0.1_5555", "virtual", 7200),
        ("127.0.0.1_5556", "virtual", 60),
        ("127.0.0.1_5557", "phone", 7200),
        ("localfilesystem__dev_shm_navitas-phone-a_adb_phone-00", "virtual", 7200),
    ):
        (journals / f"{name}.json").write_text(json.dumps({"kind": kind, "changed": {"battery": "live"}}))
        os.utime(journals / f"{name}.json", (time.time() - age_s,) * 2)
    with prepared(StatePhone(), keep([])):
        assert sorted(path.stem for path in journals.glob("[l1]*.json")) == ["127.0.0.1_5556", "127.0.0.1_5557"]


@pytest.mark.parametrize("serial", ["../../x", "a/b", "127.0.0.1:5555", "localfilesystem:/a", ".", "", "x" * 300, "ü", "a\0b"])
def test_serials_make_harmless_file_names(journals: Path, serial: str) -> None:
    phone = StatePhone()
    phone.info = replace(phone.info, serial=serial)
    with prepared(phone, keep([])):
        (file,) = journals.glob("*.json")
        assert file.parent == journals and len(file.name) < 200

"""The state that apps can ask for: its file, their requests, and rules of Android that tie parts of it together."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

import pytest
from phone_harness import on_phone, run

from navitas.base.errors import NavitasError
from navitas.virtual_phone.identity import SHELL
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.system_state import SystemState, app_text


def state_file(root: Path) -> dict[str, str]:
    """What an app's process reads."""
    lines = (root / "dev/socket/state").read_text().splitlines()
    return {unquote(name): unquote(value) for name, _, value in (line.partition(" ") for line in lines)}


def test_the_file_shows_each_change_at_once(tmp_path: Path) -> None:
    async def act(phone: Phone) -> list[str]:
        values = []
        for script in ("true", "settings put system screen_brightness 7", "settings delete system screen_brightness"):
            await run(phone, script)
            values.append(state_file(tmp_path).get("system.screen_brightness", "none"))
        return values

    assert on_phone(tmp_path, act) == ["102", "7", "none"]


def test_any_setting_is_a_line() -> None:
    values = {"system.a b": "c=d\né%", "empty": ""}
    text = app_text(values)
    assert {unquote(name): unquote(value) for name, _, value in (line.partition(" ") for line in text.splitlines())} == values


@pytest.mark.parametrize(
    ("kind", "text", "key", "value"),
    [
        ("setting", "7 system screen_brightness 9", "system.screen_brightness", "9"),
        ("setting", "7 system a%20b c%0Ad", "system.a b", "c\nd"),
        ("setting", "7 system screen_brightness", "system.screen_brightness", None),
        ("radio", "7 wifi 0", "wifi", "0"),
        ("radio", "7 bluetooth 0", "bluetooth", "0"),
    ],
)
def test_an_app_changes_the_state(tmp_path: Path, kind: str, text: str, key: str, value: str | None) -> None:
    async def act(phone: Phone) -> tuple[str | None, str]:
        pid = os.getpid()
        phone.processes.add_host(pid, "app", ("app",), SHELL, lambda number: None)
        phone.reports.take(pid, kind, text)
        answer = (tmp_path / "proc" / str(pid) / "answer").read_text()
        phone.processes.remove(pid)
        return state_file(tmp_path).get(key), answer

    assert on_phone(tmp_path, act) == (value, "7\n")


@pytest.mark.parametrize("value", ["$(printf '\\377')", "nan", "inf"])
def test_no_setting_breaks_later_changes(tmp_path: Path, value: str) -> None:
    script = f"settings put system screen_brightness {value}; svc wifi disable; dumpsys battery unplug; dumpsys settings"

    async def act(phone: Phone) -> tuple[int, dict[str, str], float]:
        return (await run(phone, script)).status, state_file(tmp_path), phone.state.switches.brightness

    status, values, brightness = on_phone(tmp_path, act)
    assert (status, values["wifi"], values["battery.charging"], brightness) == (0, "0", "0", 0.0)


@pytest.mark.parametrize("value", ["%FF", "nan", "inf", "%ED%B3%BF"])
def test_no_setting_of_an_app_breaks_later_changes(tmp_path: Path, value: str) -> None:
    async def act(phone: Phone) -> tuple[str, float]:
        pid = os.getpid()
        phone.processes.add_host(pid, "app", ("app",), SHELL, lambda number: None)
        phone.reports.take(pid, "setting", f"1 system screen_brightness {value}")
        phone.reports.take(pid, "radio", "2 wifi 0")
        phone.processes.remove(pid)
        phone.devices.advance()
        return state_file(tmp_path)["wifi"], phone.state.switches.brightness

    assert on_phone(tmp_path, act) == ("0", 0.0)


@pytest.mark.parametrize("status", ["9" * 5000, "7", "٣", ""])
def test_other_thermal_statuses_are_refused(tmp_path: Path, status: str) -> None:
    output = on_phone(tmp_path, lambda phone: run(phone, f"cmd thermalservice override-status '{status}'"))
    assert output.status == 255 and b"usage: " in output.stderr


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("setting", ""), ("setting", "7"), ("setting", "7 system"), ("setting", "7 other a b"), ("setting", "x system a b"),
        ("setting", "7 system a b c"), ("radio", "7 gps 1"), ("radio", "7 wifi 2"), ("radio", "7 wifi"), ("nice", "1"),
        ("nice", "x 1"), ("nice", "1 --1"),
    ],
)  # fmt: skip
def test_invalid_requests_change_nothing(tmp_path: Path, kind: str, text: str, caplog: pytest.LogCaptureFixture) -> None:
    async def act(phone: Phone) -> bool:
        pid = os.getpid()
        phone.processes.add_host(pid, "app", ("app",), SHELL, lambda number: None)
        before = state_file(tmp_path)
        phone.reports.take(pid, kind, text)
        phone.processes.remove(pid)
        return state_file(tmp_path) == before and not (tmp_path / "proc" / str(pid) / "answer").exists()

    assert on_phone(tmp_path, act)
    assert "ignored an invalid report" in caplog.text


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_thread_shows_its_nice_value(tmp_path: Path) -> None:
    pid = os.getpid()

    async def act(phone: Phone) -> list[list[bytes]]:
        phone.processes.add_host(pid, "app", ("app",), SHELL, lambda number: None)
        phone.reports.take(pid, "nice", f"{pid} -8")
        texts = [(await run(phone, f"cat /proc/{pid}{of}/stat")).stdout for of in ("", f"/task/{pid}")]
        phone.processes.remove(pid)
        return [text.rpartition(b") ")[2].split() for text in texts]

    for fields in on_phone(tmp_path, act):
        assert fields[15:17] == [b"12", b"-8"] and len(fields) == len(
            Path("/proc/self/stat").read_text().rpartition(") ")[2].split()
        )


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_nice_values_of_ended_threads_are_forgotten(tmp_path: Path) -> None:
    async def act(phone: Phone) -> list[tuple[int, int]]:
        phone.processes.set_nice(os.getpid(), 999_999_999, 5)
        phone.processes.set_nice(os.getpid(), os.getpid(), -8)
        return list(cast(Any, phone.processes)._nice)

    assert on_phone(tmp_path, act) == [(os.getpid(), os.getpid())]


def test_the_battery_saver_and_a_charger_exclude_each_other() -> None:
    system = SystemState(3.85, 34)
    system.set_power_save(True)
    assert not system.is_power_save and system.settings["global"]["low_power"] == "0"
    system.battery_command(["unplug"])
    system.set_power_save(True)
    assert system.is_power_save
    system.battery_command(["reset"])
    assert not system.is_power_save and system.settings["global"]["low_power"] == "0"


def test_a_charger_refuses_the_saver_for_good() -> None:
    system = SystemState(3.85, 34)
    system.put_setting("global", "low_power", "1")
    system.battery_command(["unplug"])
    assert not system.is_power_save and system.settings["global"]["low_power"] == "0"


def test_a_low_battery_is_low_up_to_20_percent() -> None:
    system = SystemState(3.85, 34)
    system.battery_command(["unplug"])
    levels = (16, 15, 16, 19, 20, 19)
    shown = []
    for level in levels:
        system.battery_command(["set", "level", str(level)])
        shown.append(system.battery.extras()["battery_low"])
    assert shown == [False, True, True, True, False, False]


def test_values_of_the_battery_are_numbers() -> None:
    system = SystemState(3.85, 34)
    for name, value in (("status", "02"), ("level", "-0"), ("ac", "00")):
        system.battery_command(["set", name, value])
    assert [system.battery.shown[key] for key in ("status", "level", "AC powered")] == ["2", "0", "false"]


@pytest.mark.parametrize("fails", [False, True])
def test_the_current_is_that_of_the_rails_or_unknown(tmp_path: Path, fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    energies_uj = iter(range(0, 10**12, 10**6))

    def rails_uj() -> dict[str, float]:
        if fails:
            raise NavitasError("the kernel model has failed", "")
        return {"ANY": float(next(energies_uj))}

    async def act(phone: Phone) -> list[str | None]:
        monkeypatch.setattr(phone.rails, "rails_uj", rails_uj)
        found = [state_file(tmp_path).get("battery.current_ua")]
        await run(phone, "dumpsys battery unplug")
        while (current := state_file(tmp_path).get("battery.current_ua")) == "0":
            await asyncio.sleep(0.001)
        await run(phone, "dumpsys battery reset")
        return [*found, current, state_file(tmp_path).get("battery.current_ua")]

    monkeypatch.setattr("navitas.virtual_phone.phone._METER_S", 0.0)
    first, unplugged, last = on_phone(tmp_path, act)
    assert (first, last) == ("0", "0") and (unplugged is None if fails else unplugged is not None and int(unplugged) < 0)


def test_a_state_that_could_not_be_written_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    async def act(phone: Phone) -> list[str]:
        announced: list[str] = []
        with monkeypatch.context() as patch:
            patch.setattr("navitas.virtual_phone.phone.replace_file", full)
            await run(phone, "svc wifi disable; svc bluetooth disable")
        monkeypatch.setattr(phone.apps, "announce", announced.extend)
        while state_file(tmp_path)["wifi"] == "1":
            await asyncio.sleep(0.001)
        return announced

    monkeypatch.setattr("navitas.virtual_phone.phone._METER_S", 0.01)
    assert on_phone(tmp_path, act) == ["changed"] and caplog.text.count("apps do not see the phone's state") == 1


def test_radios_can_be_on_in_airplane_mode() -> None:
    system = SystemState(3.85, 34)
    system.put_setting("global", "airplane_mode_on", "1")
    off = system.devices.switches
    assert (off.wifi_on, off.mobile_on, off.bluetooth_on, off.route) == (False, False, False, None)
    for radio in ("wifi", "data", "bluetooth"):
        system.switch_radio(radio, True)
    on = system.devices.switches
    assert (on.wifi_on, on.mobile_on, on.bluetooth_on) == (True, False, True)
    system.put_setting("global", "airplane_mode_on", "0")
    values = system.settings["global"]
    assert (values["wifi_on"], values["mobile_data"], values["bluetooth_on"]) == ("1", "1", "1")


@pytest.mark.parametrize("value", ["--5", "٣", "9999999999", "x", "", "1.5"])
def test_only_integers_are_values_of_the_battery(value: str) -> None:
    system = SystemState(3.85, 34)
    assert system.battery_command(["set", "level", value]) == (255, f"Bad value: {value}\n")
    assert system.battery.shown["level"] == "100"


def test_only_installed_packages_are_exempt_from_doze(tmp_path: Path) -> None:
    found = on_phone(tmp_path, lambda phone: run(phone, "cmd deviceidle whitelist +no.app; cmd deviceidle whitelist no.app"))
    assert found.status == 255
    assert found.stdout == b"Unknown package: no.app\nPackage must be prefixed with +, -, or =: no.app\n"

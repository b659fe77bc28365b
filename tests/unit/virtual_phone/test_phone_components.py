"""Shell commands that change the state of components, and the files and rails that show it."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
from phone_harness import on_phone, run

from navitas.virtual_phone.components.component_rails import RAILS
from navitas.virtual_phone.components.device_state import UseKind
from navitas.virtual_phone.identity import SHELL
from navitas.virtual_phone.kernel.spec import default_profile, read_figures
from navitas.virtual_phone.phone import Phone

ITEMS, ARRAYS = read_figures(default_profile())
RAIL_FILE = "/sys/bus/iio/devices/iio:device0/energy_value"


@pytest.mark.parametrize(
    ("command", "switches"),
    [
        ("true", (True, 102 / 255, True, True, True)),
        ("settings put system screen_brightness 255", (True, 1.0, True, True, True)),
        ("settings put system screen_brightness bright", (True, 0.0, True, True, True)),
        ("input keyevent KEYCODE_POWER", (False, 0.4, True, True, True)),
        ("input keyevent KEYCODE_SLEEP; input keyevent KEYCODE_WAKEUP", (True, 0.4, True, True, True)),
        ("input keyevent 26; svc power stayon true", (True, 0.4, True, True, True)),
        ("svc wifi disable; svc data disable; svc bluetooth disable", (True, 0.4, False, False, False)),
        ("cmd wifi set-wifi-enabled disabled; cmd bluetooth_manager disable", (True, 0.4, False, True, False)),
    ],
)
def test_commands_change_the_switches(tmp_path: Path, command: str, switches: tuple[bool, float, bool, bool, bool]) -> None:
    async def act(phone: Phone) -> None:
        assert (await run(phone, command)).status == 0
        now = phone.state.switches
        found = (now.screen_on, now.brightness, now.wifi_on, now.mobile_on, now.bluetooth_on)
        assert found == pytest.approx(switches)

    on_phone(tmp_path, act)


@pytest.mark.parametrize(
    ("command", "status", "output"),
    [
        ("cmd wifi status", 0, "Wifi is enabled\n"),
        ("svc wifi disable; cmd wifi status", 0, "Wifi is disabled\n"),
        ("cmd wifi start-scan", 0, ""),
        ("cmd wifi nonsense", 255, "Unknown command: nonsense\n"),
        ("cmd bluetooth_manager disable", 0, "Disabling Bluetooth\n"),
        ("cmd bluetooth_manager enable; cmd bluetooth_manager wait-for-state:STATE_ON", 0, None),
        ("cmd bluetooth_manager wait-for-state:STATE_OFF", 255, None),
    ],
)
def test_radios_answer(tmp_path: Path, command: str, status: int, output: str | None) -> None:
    found = on_phone(tmp_path, lambda phone: run(phone, command))
    assert found.status == status
    assert output is None or found.stdout.decode() == output


def test_the_rail_file_has_a_channel_for_every_component(tmp_path: Path) -> None:
    text = on_phone(tmp_path, lambda phone: run(phone, f"cat {RAIL_FILE}"), items=ITEMS, arrays=ARRAYS).stdout.decode()
    assert re.findall(r"^CH\d+\(T=\d+\)\[(\w+)\], \d+$", text, re.MULTILINE) == list(RAILS)


def test_a_dark_screen_uses_no_energy(tmp_path: Path) -> None:
    async def act(phone: Phone) -> list[float]:
        energies = []
        for command in ("true", "settings put system screen_brightness 255", "input keyevent 26", "true"):
            await run(phone, command)
            await asyncio.sleep(0.5)
            energies.append(phone.rails.rails_uj()["VSYS_PWR_DISPLAY"])
        return energies

    normal, bright, fading, dark = on_phone(tmp_path, act, items=ITEMS, arrays=ARRAYS)
    assert bright - normal > normal * 1.3
    assert fading > bright and dark == fading


def test_reports_of_an_app_start_and_stop_uses(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def act(phone: Phone) -> None:
        pid = os.getpid()
        phone.processes.add_host(pid, "app", ("app",), SHELL, lambda number: None)
        phone.reports.take(pid, "gnss", "+7 0 gps")
        phone.reports.take(pid, "sensor", "+8 0.25 accelerometer of Bosch")
        sensor = phone.state.of(UseKind.SENSOR)[0]
        assert (sensor.name, sensor.current_ma, sensor.uid) == ("accelerometer of Bosch", 0.25, SHELL.uid)
        for kind, text in (
            ("radar", "+1"),
            ("gnss", ""),
            ("gnss", "*1"),
            ("sensor", "+9 much"),
            ("sensor", "+9 nan x"),
            ("gnss", "+"),
        ):
            phone.reports.take(pid, kind, text)
        assert len(phone.state.uses) == 2
        phone.reports.take(pid, "gnss", "-7")
        phone.reports.take(pid, "gnss", "-7")
        assert [use.kind for use in phone.state.uses.values()] == [UseKind.SENSOR]
        phone.reports.take(pid, "wifiscan", "!")
        assert phone.state.wifi_scans == 1
        caplog.clear()
        phone.reports.take(pid, "server", "8123")
        phone.reports.take(pid, "server", "-1")
        assert [record.args[1:] for record in caplog.records] == [("server", "-1")]
        phone.processes.remove(pid)
        assert not phone.state.uses
        phone.reports.take(pid, "gnss", "+7")
        assert not phone.state.uses

    on_phone(tmp_path, act)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_network_and_disk_files(tmp_path: Path) -> None:
    async def act(phone: Phone) -> list[bytes]:
        texts = []
        for command in ("cat /proc/net/dev", "cat /proc/diskstats", "ls /proc/net"):
            texts.append((await run(phone, command)).stdout)
        return texts

    net, disk, folder = on_phone(tmp_path, act, sdk=28)
    assert b" wlan0: " in net and disk.split()[2] == b"sda" and folder == b"dev\n"
    assert on_phone(tmp_path, lambda phone: run(phone, "cat /proc/diskstats")).status == 1  # closed since Android 10

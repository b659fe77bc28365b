"""Battery and heat as releases and makers print them."""

from __future__ import annotations

import pytest
from fake_device import FakeDevice
from hypothesis import given
from hypothesis import strategies as st

from navitas.capture.collect.state.condition import (
    BatteryState,
    Thermal,
    battery_values,
    parse_battery,
    parse_thermal,
    read_condition,
)

HEAD = "Current Battery Service state:\n"
OLD = "  AC powered: false\n  USB powered: true\n  Wireless powered: false\n"
MIDDLE = "  Max charging current: 500000\n  Max charging voltage: 5000000\n  Charge counter: 2711000\n"
STATE = """\
  status: 2
  health: 2
  present: true
  level: 87
  scale: 100
  voltage: 4212
  temperature: 283
  technology: Li-ion
"""
USUAL = BatteryState(87.0, 28.3, 4.212, charging=True, plugged=True)

BATTERIES = {
    "8": (HEAD + OLD + MIDDLE + STATE, USUAL),
    "13": (HEAD + OLD + "  Dock powered: false\n" + MIDDLE + STATE, USUAL),
    "14": (HEAD + OLD + "  Dock powered: false\n" + MIDDLE + STATE + "  Charging state: 0\n  Charging policy: 1\n", USUAL),
    "16": (HEAD + OLD + "  Dock powered: false\n" + MIDDLE + STATE + "  Charging state: 0\n  Capacity level: 3\n", USUAL),
    "Samsung, with a log of its own": (
        HEAD
        + OLD
        + STATE
        + "[EventLogBuffer]\n08-11 18:34:14.721  Sending ACTION_BATTERY_CHANGED: level:72, voltage:4120\n  level: 12\n",
        USUAL,
    ),
    "frozen": (
        HEAD + "  (UPDATES STOPPED -- use 'reset' to restart)\n" + OLD.replace("true", "false") + STATE,
        BatteryState(87.0, 28.3, 4.212, charging=True, plugged=False, frozen=True),
    ),
    "a box that reports volts and degrees": (
        HEAD + OLD + STATE.replace("4212", "13").replace("283", "26"),
        BatteryState(87.0, 2.6, None, charging=True, plugged=True),
    ),
    "microvolts": (HEAD + OLD + STATE.replace("4212", "4212000"), BatteryState(87.0, 28.3, None, charging=True, plugged=True)),
    "Windows' line ends": ((HEAD + OLD + STATE).replace("\n", "\r\n"), USUAL),
    "another scale": (
        HEAD + OLD + STATE.replace("scale: 100", "scale: 200"),
        BatteryState(43.5, 28.3, 4.212, charging=True, plugged=True),
    ),
    "no such service": ("Can't find service: battery\n", BatteryState()),
    "nothing": ("", BatteryState()),
}

OVERRIDE = "IsStatusOverride: false\nThermalEventListeners:\n\tcallbacks: 1\n\tkilled: false\n\tbroadcasts count: -1\n"
CACHED = "Cached temperatures:\n\tTemperature{mValue=31.0, mType=3, mName=skin, mStatus=0}\n"
HAL = "HAL Ready: true\nHAL connection:\n\tThermalHAL 2.0 connected: yes\nCurrent temperatures from HAL:\n"
NOW = "\tTemperature{mValue=25.6, mType=0, mName=AP, mStatus=0}\n\tTemperature{mValue=33.5, mType=3, mName=skin, mStatus=0}\n"

THERMALS = {
    "9: no such service": ("Can't find service: thermalservice\n", Thermal()),
    "10": (OVERRIDE + "Thermal Status: 0\n" + CACHED + HAL + NOW, Thermal(0, 33.5)),
    "15, hot": (
        OVERRIDE + "Thermal Status: 3\n" + CACHED + HAL + NOW + "Temperature static thresholds from HAL:\n",
        Thermal(3, 33.5),
    ),
    "cached values alone": (OVERRIDE + "Thermal Status: 1\n" + CACHED + "HAL Ready: true\n", Thermal(1, 31.0)),
    "sensors that are not there say 0": (OVERRIDE + "Thermal Status: 0\n" + HAL + NOW.replace("33.5", "0.0"), Thermal(0, None)),
    "an emulator without a HAL": (OVERRIDE + "Thermal Status: 0\nCached temperatures:\nHAL Ready: false\n", Thermal(None, None)),
    "overridden": (
        OVERRIDE.replace("false", "true", 1) + "Thermal Status: 4\nHAL Ready: false\n",
        Thermal(4, None),
    ),
}


@pytest.mark.parametrize("name", BATTERIES)
def test_dumpsys_battery(name: str) -> None:
    text, expected = BATTERIES[name]
    assert parse_battery(text) == expected


@pytest.mark.parametrize("name", THERMALS)
def test_dumpsys_thermalservice(name: str) -> None:
    text, expected = THERMALS[name]
    assert parse_thermal(text) == expected


def test_both_come_in_one_call() -> None:
    device = FakeDevice({"dumpsys battery": BATTERIES["8"][0] + "\n@thermal\n" + THERMALS["10"][0]})
    found = read_condition(device)
    assert (found.battery, found.thermal) == (USUAL, Thermal(0, 33.5))
    assert len(device.commands) == 1


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from([HEAD, *OLD.splitlines(True), *STATE.splitlines(True), "x", "  "])).map("".join)
)
def test_arbitrary_text_never_fails(text: str) -> None:
    battery, thermal = parse_battery(HEAD + text), parse_thermal(text)
    assert battery.level_percent is None or 0 <= battery.level_percent <= 100
    assert battery.temperature_c is None or -40 <= battery.temperature_c <= 120
    assert thermal.status is None or 0 <= thermal.status <= 6


@given(st.dictionaries(st.from_regex(r"[A-Z][a-z ]{0,20}[a-z]", fullmatch=True), st.integers().map(str), max_size=8))
def test_every_line_is_found_again(values: dict[str, str]) -> None:
    assert battery_values(HEAD + "".join(f"  {key}: {value}\n" for key, value in values.items())) == values

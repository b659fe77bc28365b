"""Battery and heat from `dumpsys battery` and `dumpsys thermalservice` (AOSP: BatteryService, ThermalManagerService)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from navitas.capture.device.base import Device

MODERATE = 2
THERMAL_NAMES = ("none", "light", "moderate", "severe", "critical", "emergency", "shutdown")
_HEADER = re.compile(r"^[ \t]*Current Battery Service state:[ \t\r]*$", re.MULTILINE)
_LINE = re.compile(r"[ \t]+([^:\n]{1,60}?):[ \t]*(.{0,200}?)\s*")
_STATUS = re.compile(r"^[ \t]*Thermal Status:[ \t]*(\d{1,2})[ \t\r]*$", re.MULTILINE)
_TEMPERATURE = re.compile(r"Temperature\{mValue=(-?\d{1,4}(?:\.\d{1,9})?), mType=(\d{1,3}),")
_SKIN = "3"
_CURRENT = "Current temperatures from HAL:"
_FROZEN = "UPDATES STOPPED"
_SPLIT = "@thermal"
_MAX_LINE = 1000


@dataclass(frozen=True, slots=True)
class BatteryState:
    """The battery service's report; None is a value that it does not report, or that is out of range in its unit."""

    level_percent: float | None = None
    temperature_c: float | None = None
    voltage_v: float | None = None
    charging: bool | None = None
    plugged: bool | None = None
    frozen: bool = False


@dataclass(frozen=True, slots=True)
class Thermal:
    """The thermal status (0 none … 6 shutdown; Android 10 and later) and the temperature of the warmest skin sensor."""

    status: int | None = None
    skin_c: float | None = None


@dataclass(frozen=True, slots=True)
class PhoneCondition:
    """Battery and heat at one moment."""

    battery: BatteryState = BatteryState()
    thermal: Thermal = Thermal()


def read_condition(device: Device, *, frozen: bool = False) -> PhoneCondition:
    """Read the condition, in one call. `frozen`: `dumpsys battery unplug` is in effect and is suspended for this reading."""
    battery = "dumpsys battery"
    if frozen:
        battery = "dumpsys battery reset; dumpsys battery; dumpsys battery unplug"
    text = device.shell(f"{battery}; echo; echo {_SPLIT}; dumpsys thermalservice 2>&1").text
    first, _, second = text.partition(_SPLIT)
    return PhoneCondition(parse_battery(first), parse_thermal(second))


def battery_values(text: str) -> dict[str, str]:
    """Return the lines of `dumpsys battery` by key; the first of duplicates. Vendors add lines, and sections after them."""
    header = _HEADER.search(text)
    values: dict[str, str] = {}
    for line in text[header.end() :].strip("\n").splitlines() if header else ():
        if line and not line[0].isspace():
            break
        if match := _LINE.fullmatch(line[:_MAX_LINE]):
            values.setdefault(match[1], match[2])
    return values


def parse_battery(text: str) -> BatteryState:
    """Return the battery's state; all unknown if the text is of another service, or an error."""
    values = battery_values(text)
    level, scale = _number(values.get("level")), _number(values.get("scale"))
    powered = [value == "true" for key, value in values.items() if key.endswith(" powered")]
    status = values.get("status")
    tenths, millivolts = _number(values.get("temperature")), _number(values.get("voltage"))
    return BatteryState(
        level_percent=_within(level * 100 / scale if level is not None and scale else None, 0, 100),
        temperature_c=_within(tenths / 10 if tenths is not None else None, -40, 120),
        # Some phones report volts or microvolts; values outside of the range are dropped.
        voltage_v=_within(millivolts / 1000 if millivolts is not None else None, 2.5, 5.0),
        charging=status in ("2", "5") if status else None,
        plugged=any(powered) if powered else None,
        frozen=_FROZEN in text,
    )


def parse_thermal(text: str) -> Thermal:
    """Return the thermal state; unknown before Android 10, and on phones without a thermal HAL."""
    status = _STATUS.search(text)
    sensors = text.partition(_CURRENT)[2] or text
    skins = [float(value) for value, kind in _TEMPERATURE.findall(sensors) if kind == _SKIN]
    usable = [celsius for celsius in skins if -40 < celsius < 120 and celsius != 0]
    known = status is not None and ("IsStatusOverride: true" in text or "HAL Ready: false" not in text)
    return Thermal(
        status=min(int(status[1]), len(THERMAL_NAMES) - 1) if status and known else None, skin_c=max(usable, default=None)
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else None


def _within(value: float | None, least: float, most: float) -> float | None:
    return value if value is not None and least <= value <= most else None

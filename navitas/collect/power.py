"""Which power profile and which voltage a recording gets, and where each comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from navitas.collect.options import ProfileOptions
from navitas.device.base import Device
from navitas.errors import PowerProfileError
from navitas.power import catalog
from navitas.power.cpu import power_model
from navitas.power.profile import read_power_profile
from navitas.recording import manifest

DEFAULT_VOLTAGE_V = 3.85
_PROFILE_PROPERTY = "ro.navitas.power_profile"


@dataclass(frozen=True, slots=True)
class Supply:
    """The chosen profile's XML and name, and the voltage that turns its mA into mW."""

    profile_xml: bytes
    profile_source: str
    voltage_v: float
    voltage_source: Literal["battery", "option", "default"]


def choose(device: Device, options: ProfileOptions, policies: Sequence[manifest.Policy]) -> Supply:
    """The profile: the option, else the one that the virtual phone is modelled on. The voltage: option, battery, 3.85 V.

    Raises `PowerProfileError` when there is no profile for this device, or the one there is cannot be used for it.
    """
    name = options.power_profile or device.shell(f"getprop {_PROFILE_PROPERTY}").text.strip()
    if not name:
        raise PowerProfileError(
            f"device {device.info.serial} ({device.info.model}): no power profile is known for it",
            "name one with --power-profile FILE",
        )
    found = catalog.find(name)
    voltage_v, source = _voltage(device, options)
    # Refused before the tests run: what they record would have no report.
    power_model(read_power_profile(found), voltage_v, [(policy.id, policy.cpus) for policy in policies] or None)
    return Supply(found.read_bytes(), found.stem, voltage_v, source)


def _voltage(device: Device, options: ProfileOptions) -> tuple[float, Literal["battery", "option", "default"]]:
    if options.voltage_v is not None:
        return options.voltage_v, "option"
    found = re.search(r"^ +voltage: (\d+)$", device.shell("dumpsys battery").text, re.MULTILINE)
    millivolts = int(found.group(1)) if found else 0
    # Some phones report volts or microvolts; what is no battery voltage in mV is not used.
    if 2500 <= millivolts <= 5000:
        return millivolts / 1000, "battery"
    return DEFAULT_VOLTAGE_V, "default"

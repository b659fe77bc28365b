"""Choose a recording's power profile and voltage, and note the source of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches

from navitas.base.errors import DeviceError, PowerProfileError
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.phone_profile import IN_APP, Found, cached, first_usable, keep
from navitas.capture.collect.readings.topology import read_frequencies
from navitas.capture.collect.state.condition import parse_battery
from navitas.capture.device.base import Device
from navitas.power import catalog
from navitas.power.components.component_power import ComponentPower
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile, read_power_profile, read_profile_bytes
from navitas.recording import manifest
from navitas.recording.manifest import VoltageSource
from navitas.recording.writer import DEFAULT_VOLTAGE_V, Supply

_PROFILE_PROPERTY = "ro.navitas.power_profile"


def choose(device: Device, options: ProfileOptions, policies: list[manifest.Policy]) -> tuple[Supply, PowerModel | None]:
    """Choose the first available profile: the option's, the virtual phone's model's, the phone's (docs/power.md).

    The voltage comes from the option or from the battery. The default is 3.85 V. Also returns the model of the profile; None for
    one from the cache, which has checked ones.
    Raises `PowerProfileError` if there is no profile for this device, or if it is unusable.
    """
    voltage_v, source = voltage_of(device, options.voltage_v)
    name = options.power_profile or device.shell(f"getprop {_PROFILE_PROPERTY}").text.strip()
    if name:
        path = catalog.find(name)
        found = Found(read_profile_bytes(path), path.stem)
        # Check before the tests run: without a usable profile, their recording would have no report.
        model = _checked(device, found, policies)
        return Supply(found.xml, found.source, voltage_v, source), model
    found = profile_of_phone(device, policies)
    return Supply(found.xml, f"{device.info.model}: {found.source}", voltage_v, source, replaceable=True), found.model


def profile_of_phone(device: Device, policies: list[manifest.Policy], *, refresh: bool = False) -> Found:
    """Return the phone's profile, from the cache for its build, or with `refresh` from the phone.

    Raises `PowerProfileError` that names every place that was tried, and an alternative.
    """
    info = device.info
    if not refresh and (known := cached(info.fingerprint)) is not None:
        return known
    found, reasons = first_usable(device, lambda one: _checked(device, one, policies))
    if found is None:
        tried = "".join(f"\n  {reason}" for reason in reasons)
        raise PowerProfileError(
            f"device {info.serial} ({info.model}): no usable power profile was found for it:{tried}", _instead(info.model)
        )
    keep(info.fingerprint, found)
    return found


def adopt(device: Device, supply: Supply, xml: bytes, policies: list[manifest.Policy], warn: Callable[[str], None]) -> Supply:
    """Return the supply with the profile that the app read on the phone if it takes precedence, and cache that profile."""
    found = Found(xml, IN_APP)
    try:
        _checked(device, found, policies)
    except (PowerProfileError, DeviceError) as error:  # the rest of the recording is complete and must not be lost
        warn(f"the profile that the app read is not used: {error.message}")
        return supply
    keep(device.info.fingerprint, found)
    if _figures(found) == _figures(Found(supply.profile_xml, supply.profile_source)):
        return supply
    warn(f"the profile that the app read differs from that of {supply.profile_source}; it is used instead")
    return replace(supply, profile_xml=xml, profile_source=f"{device.info.model}: {IN_APP}")


def model_on(device: Device, profile: PowerProfile, policies: list[manifest.Policy]) -> PowerModel:
    """Return the power model of this phone's CPU at the default voltage. Raises `PowerProfileError`."""
    cpus = [(policy.id, policy.cpus) for policy in policies] or None
    return power_model(profile, DEFAULT_VOLTAGE_V, cpus, read_frequencies(device, policies))


def _checked(device: Device, found: Found, policies: list[manifest.Policy]) -> PowerModel:
    """Return the power model of a profile. Raises `PowerProfileError` if it gives none for this phone's CPU."""
    return model_on(device, read_power_profile(found.xml, name=found.source), policies)


def _figures(found: Found) -> object:
    """All that reports use. Not all entries: a dump names some twice (`screen.on`, `screen.on.display0`), and adds zeros."""
    profile = read_power_profile(found.xml, name=found.source)
    used = {
        key: value
        for key, value in (*profile.items.items(), *profile.arrays.items())
        if key.startswith("cpu.") or key == "battery.capacity"
    }
    return used, ComponentPower.from_profile(profile).figures


def _instead(model: str) -> str:
    words = model.casefold().replace(" ", "-")
    names = catalog.names()
    near = get_close_matches(words, names, n=1, cutoff=0.3) or get_close_matches(f"google-{words}", names, n=1, cutoff=0.3)
    nearest = f", or use the nearest one in Navitas: --power-profile {near[0]}" if near else ""
    return f"give a power_profile.xml of this model with --power-profile FILE{nearest}"


def voltage_of(device: Device, given: float | None) -> tuple[float, VoltageSource]:
    """Return the given voltage, or the battery's, or else 3.85 V, and which of them it is."""
    if given is not None:
        return given, "option"
    volts = parse_battery(device.shell("dumpsys battery").text).voltage_v
    return (volts, "battery") if volts is not None else (DEFAULT_VOLTAGE_V, "default")

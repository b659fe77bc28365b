"""Fill components that a power profile has no figures of with the currents of a fitted model."""

from __future__ import annotations

from dataclasses import replace

from navitas.power.components.component_power import ComponentPower
from navitas.power.fitted_model import FittedModel
from navitas.power.power_profile import PowerProfile

WITHOUT_ENTRIES = ("storage", "gpu")
"""Components that no power profile names. They read the fitted model themselves."""
_ENTRIES = {
    "screen": {"on": "screen.on", "brightness": "screen.full"},
    "gnss": {"on": "gps.on"},
    "camera": {"on": "camera.avg"},
    "flashlight": {"on": "camera.flashlight"},
    "audio": {"on": "audio"},
    "video": {"on": "video"},
}
"""Entries by the last word of the parameter whose coefficient (W) gives their current."""


def filled_profile(profile: PowerProfile, fitted: FittedModel, voltage_v: float) -> tuple[PowerProfile, tuple[str, ...]]:
    """Return the profile with the fitted currents of components that it has no figures of, and the names of filled components.

    The entries of a component with figures are never replaced.
    """
    covered = {one.component for one in ComponentPower.from_profile(profile).coverage if one.is_covered}
    items, arrays, filled = dict(profile.items), dict(profile.arrays), []
    for component, entries in _ENTRIES.items():
        values = fitted.values(component)
        known = {entry: values[word] for word, entry in entries.items() if word in values}
        if known and component not in covered:
            filled.append(component)
            for entry, watts in known.items():
                arrays.pop(entry, None)
                items[entry] = watts / voltage_v * 1e3
    filled += [component for component in WITHOUT_ENTRIES if fitted.values(component)]
    return replace(profile, items=items, arrays=arrays), tuple(filled)

"""AOSP's test cases as power profiles: each case's entries written as XML and read back."""

from __future__ import annotations

from typing import Any

from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile

_CPU = "cpu.scaling_policy_"
_PLAIN_CPU = {"cpu.clusters.cores": [1.0], "cpu.core_speeds.cluster0": [1000.0], "cpu.core_power.cluster0": [1.0]}


def model_of(entries: dict[str, Any]) -> PowerModel:
    """The power model of a case's profile. Profiles without a CPU get one, since no phone has none."""
    entries = {key: value for key, value in entries.items() if not key.startswith("sensor:")}
    modem = entries.pop("modem", None)
    steps = entries.pop(f"{_CPU}steps", [])
    for number, powers in enumerate(entries.pop(f"{_CPU}power", [])):
        entries[f"{_CPU}power.policy{number}"] = powers
        entries[f"cpu.scaling_step_power.policy{number}"] = steps[number]
    if not steps:
        entries = _PLAIN_CPU | entries
    if modem and "radio.active" in modem:  # no such entry: the flat profile of before Android 13
        default = modem["active"]["DEFAULT"]
        entries["radio.scanning"] = modem["radio.scanning"]
        entries |= {f"modem.controller.{name}": modem[name] for name in ("sleep", "idle")}
        entries |= {"modem.controller.rx": default["receive"], "modem.controller.tx": default["transmit"]}
        modem = None
    xml = "".join(_entry(key, value) for key, value in entries.items()) + (_modem(modem) if modem else "")
    profile = read_power_profile(f"<device>{xml}</device>".encode(), name="case")
    policies = [(number, [number]) for number in range(len(steps))] or None
    return power_model(profile, 3.85, policies, {number: range(1, len(one) + 1) for number, one in enumerate(steps)})


def _entry(key: str, value: float | list[float]) -> str:
    if isinstance(value, list):
        return f'<array name="{key}">{"".join(f"<value>{one}</value>" for one in value)}</array>'
    return f'<item name="{key}">{value}</item>'


def _modem(modem: dict[str, Any]) -> str:
    parts = [f"<sleep>{modem['sleep']}</sleep><idle>{modem['idle']}</idle>"]
    for name, currents in modem["active"].items():
        technology, _, frequency = name.partition("/")
        attribute = f' nrFrequency="{frequency}"' if frequency else ""
        levels = "".join(f'<transmit level="{level}">{one}</transmit>' for level, one in enumerate(currents["transmit"]))
        parts.append(f'<active rat="{technology}"{attribute}><receive>{currents["receive"]}</receive>{levels}</active>')
    return f"<modem>{''.join(parts)}</modem>"

"""Figures of a profile's CPU that no phone has: each names its cluster, value and likely cause."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.power.cpu import power_model
from navitas.power.power_profile import read_power_profile

Figures = Mapping[str, float | Sequence[float]]
GOOD: Figures = {
    "battery.capacity": 3000,
    "cpu.suspend": 5,
    "cpu.idle": 10,
    "cpu.active": 20,
    "cpu.clusters.cores": [4, 2],
    "cpu.cluster_power.cluster0": 2,
    "cpu.cluster_power.cluster1": 3,
    "cpu.core_speeds.cluster0": [500_000, 1_000_000, 1_500_000],
    "cpu.core_power.cluster0": [10, 20, 35],
    "cpu.core_speeds.cluster1": [500_000, 1_500_000, 2_500_000],
    "cpu.core_power.cluster1": [15, 60, 200],
}
LITTLE, BIG = "cpu.core_power.cluster0", "cpu.core_power.cluster1"
LITTLE_SPEEDS, BIG_SPEEDS = "cpu.core_speeds.cluster0", "cpu.core_speeds.cluster1"


def warnings(changed: Figures, frequencies: Mapping[int, Sequence[int]] | None = None) -> list[str]:
    body = ""
    for name, value in {**GOOD, **changed}.items():
        if isinstance(value, Sequence):
            body += f'<array name="{name}">{"".join(f"<value>{each}</value>" for each in value)}</array>'
        else:
            body += f'<item name="{name}">{value}</item>'
    profile = read_power_profile(f"<device>{body}</device>".encode(), name="phone")
    policies = None if frequencies is None else [(0, [0, 1, 2, 3]), (4, [4, 5])]
    model = power_model(profile, 3.85, policies, frequencies)
    assert set(model.implausible) <= set(model.warnings)
    return list(model.implausible)


def test_a_plausible_profile_has_none() -> None:
    assert warnings({}) == warnings({}, {0: [500_000, 1_500_000], 4: [2_500_000]}) == []


@pytest.mark.parametrize(
    ("changed", "entry", "words"),
    [
        ({LITTLE: [0.1, 0.1, 0.1]}, LITTLE, "cluster 0: all currents are AOSP's placeholder, 0.1 mA"),
        ({BIG: [0, 0, 0]}, BIG, "cluster 1: all currents are 0 mA"),
        ({LITTLE: [0, 0.1, 35]}, LITTLE, "2 of 3 currents are 0 or AOSP's placeholder (first 0 mA at 500 MHz)"),
        ({LITTLE: [30, 30, 30]}, LITTLE, "30 mA at each of 3 speeds"),
        ({LITTLE: [10_000, 20_000, 35_000]}, LITTLE, "35,000 mA at 1,500 MHz, more than a core uses (in µA, or the current"),
        ({BIG: [0.015, 0.06, 0.2]}, BIG, "less than a running core uses (in A, or V?)"),
        ({LITTLE: [600, 700, 900]}, LITTLE, "600 mA at 500 MHz to 900 mA at 1,500 MHz look like voltages"),
        ({BIG: [15, 219, 210]}, BIG, "219 mA at 1,500 MHz, 210 mA at 2,500 MHz: here the current falls as the speed rises"),
        ({LITTLE: [10, 20, 80]}, LITTLE, "cluster 1, 60 mA there: is this the current of all 4 cores? One would have 20 mA"),
        ({LITTLE: [10, 20, 35], BIG: [5, 31, 33], BIG_SPEEDS: [500_000, 1_500_000, 1_600_000]}, LITTLE, "33 mA at 1,600 MHz"),
        ({BIG: [10, 20, 35]}, BIG, "cluster 1 has the currents of cluster 0, but other speeds"),
        ({LITTLE_SPEEDS: [500, 1000, 1500]}, LITTLE_SPEEDS, "500 kHz is slower than any core of a phone (in MHz?)"),
        ({LITTLE_SPEEDS: [500_000, 1_000, 1_500_000]}, LITTLE_SPEEDS, "1,000 kHz is slower"),
        ({BIG_SPEEDS: [500_000, 1_500_000, 25_000_000]}, BIG_SPEEDS, "25,000,000 kHz is faster than any core (in Hz?)"),
        ({"cpu.idle": 10_000}, "cpu.idle", "10,000 mA, more than a phone uses for it (in µA?)"),
        ({"cpu.cluster_power.cluster1": 3_000}, "cpu.cluster_power.cluster1", "3,000 mA"),
    ],
)  # fmt: skip
def test_implausible_figures_are_named(changed: Figures, entry: str, words: str) -> None:
    found = warnings(changed)
    assert any(text.startswith(f"{entry} of phone: ") and words in text for text in found), found
    assert all("--power-profile" in text for text in found)


def test_speeds_of_another_phone() -> None:
    (found,) = warnings({}, {0: [500_000, 1_500_000], 4: [500_000, 2_900_000]})
    assert found.startswith(f"{BIG_SPEEDS} of phone: up to 2,500 MHz, but policy 4 of the phone has up to 2,900 MHz")


def test_steps_without_speeds_are_numbered() -> None:
    """From Android 14 on, only the phone knows the speeds: `navitas power validate` numbers the steps."""
    xml = """<device><array name="cpu.scaling_step_power.policy0"><value>20</value><value>10</value></array></device>"""
    (found,) = power_model(read_power_profile(xml.encode(), name="phone"), 3.85, [(0, [0])], {0: [1, 2]}).implausible
    assert "20 mA at step 1, 10 mA at step 2" in found


@given(st.lists(st.floats(2.5, 900), min_size=2, max_size=20, unique=True), st.floats(1.0, 3.0))
def test_rising_currents_of_one_cluster_are_plausible(currents: list[float], per_step: float) -> None:
    """Unless they look like voltages: at the lowest speed already high, and hardly rising."""
    speeds = [300_000 + round(100_000 * per_step * step) for step in range(len(currents))]
    found = warnings({"cpu.clusters.cores": [4], LITTLE: sorted(currents), LITTLE_SPEEDS: speeds})
    assert all(re.search("look like voltages", text) for text in found) and (not found or min(currents) >= 400)

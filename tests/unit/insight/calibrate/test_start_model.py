"""The start of a calibration from profiles that list currents without frequencies, as those of Android 14."""

from __future__ import annotations

import pytest

from navitas.base.errors import UsageError
from navitas.insight.calibrate.operating_points import OperatingPoint, PointSource
from navitas.insight.calibrate.start_model import start_model
from navitas.power.power_profile import PowerProfile, read_power_profile


def _profile(**steps: int) -> PowerProfile:
    arrays = "".join(
        f'<array name="cpu.scaling_step_power.{policy}">'
        + "".join(f"<value>{10 * (number + 1)}</value>" for number in range(count))
        + "</array>"
        for policy, count in steps.items()
    )
    return read_power_profile(f'<device name="Android">{arrays}</device>'.encode(), name="p")


def _points(**count: int) -> PointSource:
    points = [
        OperatingPoint(int(cpu.removeprefix("cpu")), 100_000 * (step + 1), 10.0)
        for cpu, steps in count.items()
        for step in range(steps)
    ]
    return PointSource("made", tuple(points))


def test_points_belong_to_the_policy_of_their_cpu_and_policies_are_the_profiles() -> None:
    """Freqbench names the cluster of CPUs 0 to 3 by CPU 1."""
    cpu = start_model(_profile(policy0=3, policy4=2, policy6=4), 3.85, [_points(cpu1=3, cpu4=2, cpu7=4)], []).cpu
    assert [each.cpus for each in cpu.clusters] == [(0, 1, 2, 3), (4, 5), (6, 7)]
    assert [len(each.freq_khz) for each in cpu.clusters] == [3, 2, 4]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ({"cpu0": 2, "cpu4": 2}, "policy0 has 3 currents without frequencies, but the points have 2"),
        ({"cpu0": 3, "cpu4": 3}, "policy4 has 2 currents without frequencies, but the points have 3"),
        ({"cpu0": 3}, "policy4 has 2 currents without frequencies, but the points have 0"),
    ],
)
def test_currents_that_the_points_cannot_place_are_refused(points: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        start_model(_profile(policy0=3, policy4=2), 3.85, [_points(**points)], [])
    assert "--recording" in caught.value.remedy and "cpu.core_speeds" in caught.value.remedy


def test_points_below_the_first_policy_are_refused() -> None:
    with pytest.raises(UsageError, match="points of CPU 0, but the first policy of p is 2"):
        start_model(_profile(policy2=3), 3.85, [_points(cpu0=3)], [])

"""Points that contradict clusters, and points that do not."""

from __future__ import annotations

import pytest
from support.field_data import FIELD_DATA, needs_field_data

from navitas.insight.calibrate.operating_points import OperatingPoint, PointSource, contradiction
from navitas.insight.calibrate.points_csv import read_points
from navitas.insight.calibrate.wattson_curves import read_curves

SPEEDS = range(300_000, 1_900_000, 100_000)


def _points(cpu: int, speeds: range, share: float = 1.0) -> list[OperatingPoint]:
    return [OperatingPoint(cpu, khz, share * (khz / 1e4) ** 1.5) for khz in speeds]


def _contradiction(*points: OperatingPoint) -> str | None:
    return contradiction(PointSource("made", points), [range(4)], "--cores 4")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SPEEDS, SPEEDS),
        (SPEEDS[::2], SPEEDS[1::2]),
        (SPEEDS[:9], SPEEDS[8:]),
        (SPEEDS[:5], SPEEDS[5:]),
        (SPEEDS, SPEEDS[:4]),
        (SPEEDS, range(300_800, 1_900_800, 100_000)),
    ],
    ids=["both", "in turn", "low and high, one in both", "low and high", "a few again", "rounded"],
)
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_cluster_can_be_measured_on_several_of_its_cpus(first: range, second: range, share: float) -> None:
    assert _contradiction(*_points(0, first), *_points(1, second, share)) is None
    assert _contradiction(*_points(1, first), *_points(0, second, share)) is None


def test_clearly_different_powers_or_highest_frequencies_are_of_two_clusters() -> None:
    powers = _contradiction(*_points(0, SPEEDS[::2]), *_points(2, SPEEDS[1::2], 1.4))
    assert powers == "has different powers at the same frequencies of CPUs 0 and 2, but both are in cluster 0 of --cores 4"
    highest = _contradiction(*_points(0, SPEEDS), *_points(2, SPEEDS[:-3]))
    assert highest == "has different highest frequencies of CPUs 0 and 2, but both are in cluster 0 of --cores 4"


def test_powers_of_different_numbers_of_busy_cores_are_not_compared() -> None:
    several = [OperatingPoint(1, point.freq_khz, 3 * point.power_mw, 3) for point in _points(1, SPEEDS)]
    assert _contradiction(*_points(0, SPEEDS), *several) is None


@needs_field_data
@pytest.mark.parametrize("chip", ["gs101", "msm8996", "sm8150", "sm8250", "Tensor", "SXR2230P"])
def test_the_clusters_of_measured_chips_are_not_one(chip: str) -> None:
    path = FIELD_DATA / f"freqbench/{chip}_main_results.csv"
    points = (read_points(path) if path.exists() else read_curves(FIELD_DATA / "wattson" / chip, chip).source()).points
    low, *higher = sorted({point.cpu for point in points})
    for cpu in higher:
        pair = tuple(point for point in points if point.cpu in (low, cpu))
        assert contradiction(PointSource(chip, pair), [range(8)], "--cores 8") is not None
        low = cpu

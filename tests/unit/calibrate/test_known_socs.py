"""Systems on a chip that are recognized by the CPUs and the highest frequencies of points."""

from __future__ import annotations

import pytest

from navitas.calibrate.known_socs import SOCS, known_cores
from navitas.calibrate.operating_points import OperatingPoint, PointSource, clusters_of


def _points(name: str, shares: tuple[float, ...] = (1, 1, 1)) -> PointSource:
    """The highest frequency of each cluster, times a share."""
    cpus = clusters_of([cores for cores, _ in SOCS[name]])
    speeds = [round(mhz * 1e3 * share) for (_, mhz), share in zip(SOCS[name], shares, strict=False)]
    points = (OperatingPoint(own[0], khz, 1.0) for own, khz in zip(cpus, speeds, strict=True))
    return PointSource(name, tuple(points), names_policies=True)


@pytest.mark.parametrize("name", SOCS)
@pytest.mark.parametrize("shares", [(1, 1, 1), (0.95, 1, 1), (1, 0.9, 1)])
def test_each_soc_is_recognized_also_if_a_highest_frequency_was_not_measured(name: str, shares: tuple[float, ...]) -> None:
    names, cores = known_cores([_points(name, shares)])
    assert cores == tuple(count for count, _ in SOCS[name])
    assert name in names or shares != (1, 1, 1)


def test_clusters_of_no_known_soc_are_not_guessed() -> None:
    assert known_cores([_points("sm8250", (0.95, 0.95, 1))]) == ([], ())
    assert known_cores([_points("sm8250", (1, 1.1, 1))]) == ([], ())
    points = _points("sm8250").points
    assert known_cores([PointSource("two", points[:2], names_policies=True)]) == ([], ())


def test_cpus_that_are_not_the_first_of_a_policy_do_not_count_as_policies() -> None:
    points = tuple(OperatingPoint(point.cpu + (point.cpu < 7), point.freq_khz, 1.0) for point in _points("sm8250").points)
    assert known_cores([PointSource("policies", points, names_policies=True)]) == ([], ())
    assert known_cores([PointSource("cpus", points)])[1] == (4, 3, 1)

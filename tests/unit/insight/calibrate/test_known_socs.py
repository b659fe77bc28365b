"""Systems on a chip that are recognized by the CPUs and the highest frequencies of points."""

from __future__ import annotations

from dataclasses import replace

import pytest

from navitas.base.errors import UsageError
from navitas.insight.calibrate.known_socs import BY_NAME_ONLY, SOCS, known_cores, soc_of
from navitas.insight.calibrate.operating_points import OperatingPoint, PointSource, clusters_of


def _points(name: str, shares: tuple[float, ...] = (1, 1, 1)) -> PointSource:
    """The highest frequency of each cluster, times a share."""
    cpus = clusters_of([cores for cores, _ in SOCS[name]])
    speeds = [round(mhz * 1e3 * share) for (_, mhz), share in zip(SOCS[name], (*shares, 1), strict=False)]
    points = (OperatingPoint(own[0], khz, 1.0) for own, khz in zip(cpus, speeds, strict=True))
    return PointSource(name, tuple(points), names_policies=True)


@pytest.mark.parametrize("name", [name for name in SOCS if name not in BY_NAME_ONLY])
@pytest.mark.parametrize("shares", [(1, 1, 1), (0.95, 1, 1), (1, 0.9, 1)])
def test_each_soc_is_recognized_also_if_a_highest_frequency_was_not_measured(name: str, shares: tuple[float, ...]) -> None:
    names, cores = known_cores([_points(name, shares)])
    assert cores == tuple(count for count, _ in SOCS[name])
    assert name in names or shares != (1, 1, 1)


@pytest.mark.parametrize("name", BY_NAME_ONLY)
def test_a_soc_with_clusters_like_those_of_others_is_recognized_by_name_only(name: str) -> None:
    points = _points(name)
    assert known_cores([points]) == ([], ())
    assert known_cores([replace(points, soc=soc_of(name))]) == ([name], tuple(count for count, _ in SOCS[name]))


@pytest.mark.parametrize(
    ("device", "cores"),
    [
        ("monaco", (4,)),
        ("neo", (4,)),
        ("Tensor", (4, 2, 2)),
        ("Tensor G4", (4, 3, 1)),
        ("Tensor G5", (2, 3, 2, 1)),
        ("SXR2230P", (2, 4)),
        ("MT6858", (4, 4)),
        ("MT6897", (4, 3, 1)),
        ("SM8750", (6, 2)),
    ],
)
def test_devices_of_wattsons_table_have_their_clusters(device: str, cores: tuple[int, ...]) -> None:
    """As in _cpu_to_policy_map of Perfetto's device_infos.sql."""
    name = soc_of(device)
    assert name is not None and tuple(count for count, _ in SOCS[name]) == cores
    assert soc_of("unknown") is None


def test_clusters_of_no_known_soc_are_not_guessed() -> None:
    assert known_cores([_points("sm8250", (0.95, 0.95, 1))]) == ([], ())
    assert known_cores([_points("sm8250", (1, 1.1, 1))]) == ([], ())
    points = _points("sm8250").points
    assert known_cores([PointSource("two", points[:2], names_policies=True)]) == ([], ())


def test_cpus_that_are_not_the_first_of_a_policy_do_not_count_as_policies() -> None:
    points = tuple(OperatingPoint(point.cpu + (point.cpu < 7), point.freq_khz, 1.0) for point in _points("sm8250").points)
    assert known_cores([PointSource("policies", points, names_policies=True)]) == ([], ())
    with pytest.raises(UsageError, match=r"can be of sm8250 \(--cores 4,3,1\), but they do not show where") as caught:
        known_cores([PointSource("cpus", points)])
    assert "--cores" in caught.value.remedy


def _cpus(*highest: tuple[int, int]) -> PointSource:
    return PointSource("cpus", tuple(OperatingPoint(cpu, khz, 1.0) for cpu, khz in highest))


def test_cpus_show_the_clusters_only_if_each_has_its_first_cpu_and_its_highest_frequency() -> None:
    assert known_cores([_cpus((0, 1_804_800), (4, 2_419_200), (7, 2_841_600))])[1] == (4, 3, 1)
    # Six cores and two of another chip, both up to 1612 MHz.
    with pytest.raises(UsageError, match=r"can be of sdm636 \(--cores 4,4\)"):
        known_cores([_cpus((0, 1_612_000), (6, 1_612_000))])
    with pytest.raises(UsageError, match=r"can be of sdm632 \(--cores 4,4\)"):
        known_cores([_cpus((0, 1_804_800), (6, 1_804_800))])
    with pytest.raises(UsageError, match=r"can be of .*sm8250 \(--cores 4,3,1\)"):
        known_cores([_cpus((0, 1_804_800), (4, 2_300_000), (7, 2_841_600))])

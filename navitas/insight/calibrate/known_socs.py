"""Clusters of known systems on a chip (SoCs), recognized by name, or by the CPUs and highest frequencies of measured points.

The names, and the first CPU and the highest frequency of each cluster, are those of freqbench's results (kdrag0n/freqbench,
commit 9eb16ad, MIT). The last cluster has what is left of the cores: of eight, of msm8996 of four, of zuma of nine. Those of
monaco, mt6858, mt6897, neo, sm8750, sxr2230p and tensor g5 are Wattson's (google/perfetto at ec5d16b1, device_infos.sql and the
highest frequencies of its curves, Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from navitas.base.errors import UsageError
from navitas.insight.calibrate.operating_points import PointSource, clusters_of, contradiction

_LEAST, _SAME, _MOST = 0.88, 0.99, 1.01
"""The highest measured frequency relative to the SoC's: it is the same from `_SAME` on, and one below it from `_LEAST` on."""
Clusters = Sequence[tuple[int, float]]
"""The cores and the highest frequency (MHz) of each cluster, by ascending CPU."""
SOCS: Mapping[str, Clusters] = {
    "exynos7904": ((6, 1586), (2, 1768)),
    "exynos9611": ((4, 1742), (4, 2314)),
    "gs101": ((4, 1803), (2, 2253), (2, 2850)),
    "gs201": ((4, 1803), (2, 2348), (2, 2850)),
    "monaco": ((4, 1708.8),),
    "msm8996": ((2, 1593.6), (2, 2150.4)),
    "msm8998": ((4, 1900.8), (4, 2457.6)),
    "mt6768": ((6, 1700), (2, 2000)),
    "mt6853t": ((6, 2000), (2, 2400)),
    "mt6858": ((4, 2000), (4, 2400)),
    "mt6897": ((4, 2200), (3, 3200), (1, 3350)),
    "neo": ((4, 1996.8),),
    "sdm439": ((4, 2016), (4, 1459.2)),
    "sdm630": ((4, 2208), (4, 1843.2)),
    "sdm632": ((4, 1804.8), (4, 1804.8)),
    "sdm636": ((4, 1612.8), (4, 1804.8)),
    "sdm660": ((4, 1843.2), (4, 2208)),
    "sdm670": ((6, 1708.8), (2, 1996.8)),
    "sdm710": ((6, 1708.8), (2, 2208)),
    "sdm712": ((6, 1708.8), (2, 2304)),
    "sdm845": ((4, 1766.4), (4, 2803.2)),
    "sm6115": ((4, 1804.8), (4, 2016)),
    "sm6150": ((6, 1708.8), (2, 2016)),
    "sm7125": ((6, 1804.8), (2, 2323.2)),
    "sm7150": ((6, 1804.8), (2, 2208)),
    "sm7250ab": ((6, 1804.8), (1, 2208), (1, 2400)),
    "sm8150": ((4, 1785.6), (3, 2419.2), (1, 2841.6)),
    "sm8150ac": ((4, 1785.6), (3, 2419.2), (1, 2956.8)),
    "sm8250": ((4, 1804.8), (3, 2419.2), (1, 2841.6)),
    "sm8250ac": ((4, 1804.8), (3, 2419.2), (1, 3187.2)),
    "sm8750": ((6, 3532.8), (2, 4377.6)),
    "sxr2230p": ((2, 2361.6), (4, 2361.6)),
    "tensor g5": ((2, 2246), (3, 3052), (2, 3052), (1, 3782)),
    "zuma": ((4, 1704), (4, 2367), (1, 2914)),
    "zumapro": ((4, 1950), (3, 2600), (1, 3105)),
}

BY_NAME_ONLY = ("monaco", "mt6858", "neo")
"""SoCs whose clusters are as fast as some of another chip, whose others may not be measured."""
_SOLD_AS = {"tensor": "gs101", "tensor g2": "gs201", "tensor g3": "zuma", "tensor g4": "zumapro"}
"""Names of the table by those that phones report (`ro.soc.model`), in lower case."""


def soc_of(model: str) -> str | None:
    """Return the name in `SOCS` of what a phone reports as its SoC; None if it is not known."""
    name = _SOLD_AS.get(model.lower(), model.lower())
    return name if name in SOCS else None


def known_cores(sources: Sequence[PointSource]) -> tuple[list[str], tuple[int, ...]]:
    """Return the SoCs that the points can be of, and the cores of their clusters: none if no SoC fits.

    Sources that name their SoC are of it.
    Policies say where clusters begin, so one highest frequency can be missing. CPUs do not: then all highest frequencies count,
    and the first CPU of each cluster needs points. Raises `UsageError` with the SoCs that fit if it is not clear which.
    """
    if len(named := {source.soc for source in sources if source.soc is not None}) == 1:
        return list(named), tuple(count for count, _ in SOCS[named.pop()])
    by_points = {name: clusters for name, clusters in SOCS.items() if name not in BY_NAME_ONLY}
    missing = {name: count for name, clusters in by_points.items() if (count := _missing(clusters, sources)) is not None}
    least = min(missing.values(), default=0)
    cores = {name: tuple(count for count, _ in SOCS[name]) for name, count in missing.items() if count == least}
    if not cores:
        return [], ()
    first_cores = next(iter(cores.values()))
    labels = {point.cpu for source in sources for point in source.points}
    begins = {own[0] for own in clusters_of(first_cores)}
    if len(set(cores.values())) == 1 and (all(source.names_policies for source in sources) or (not least and begins <= labels)):
        return list(cores), first_cores
    shown = ", ".join(f"{name} (--cores {','.join(map(str, counts))})" for name, counts in cores.items())
    raise UsageError(
        f"the points are of another phone than the profile, and can be of {shown}, but they do not show where clusters begin",
        "Name the cores of each cluster of the measured phone with --cores, or give a column policy instead of cpu.",
    )


def _missing(clusters: Clusters, sources: Sequence[PointSource]) -> int | None:
    """How many clusters' highest frequencies the points lack: at most one. None if they are not of these clusters."""
    cpus = clusters_of([count for count, _ in clusters])
    if any(contradiction(source, cpus, "the SoC") for source in sources):
        return None
    missing = 0
    for own, (_, mhz) in zip(cpus, clusters, strict=True):
        highest = max((point.freq_khz / 1e3 for source in sources for point in source.points if point.cpu in own), default=0.0)
        if not _LEAST * mhz <= highest <= _MOST * mhz:
            return None
        missing += highest < _SAME * mhz
    return missing if missing <= 1 else None

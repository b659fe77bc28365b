"""What is wrong with a power profile's figures, in words for the report."""

from __future__ import annotations

import re
from collections.abc import Mapping

Items = Mapping[str, float]
Arrays = Mapping[str, tuple[float, ...]]

_SPEEDS = re.compile(r"cpu\.(?:core_)?speeds(\.cluster\d+)?")
_EXPECT_ARRAY = re.compile(r"cpu\.clusters\.cores|cpu\.speeds|cpu\.(core_speeds|core_power|speeds|active)\.cluster\d+")
_EXPECT_ITEM = re.compile(r"cpu\.(suspend|idle|awake)|cpu\.cluster_power\.cluster\d+|battery\.capacity")


def defects(items: Items, arrays: Arrays) -> list[str]:
    """Name missing figures, scalars for arrays and the other way round, arrays that do not fit each other, odd values."""
    return [*_missing(items, arrays), *_kinds(items, arrays), *_speeds(arrays), *_negative(items, arrays)]


def _missing(items: Items, arrays: Arrays) -> list[str]:
    found = []
    if items.get("battery.capacity", 0) <= 0:
        found.append("battery.capacity is missing: no battery share can be reported")
    if not {"cpu.suspend", "cpu.idle", "cpu.awake"} & {*items, *arrays}:
        found.append("cpu.suspend and cpu.idle are missing: the idle phone is taken to draw nothing")
    for k in range(_clusters(items, arrays)):
        found += [
            f"{kind}.cluster{k} is missing"
            for kind, older in (("cpu.core_speeds", "cpu.speeds"), ("cpu.core_power", "cpu.active"))
            if not {f"{kind}.cluster{k}", f"{older}.cluster{k}"} & {*items, *arrays}
        ]
    return found


def _kinds(items: Items, arrays: Arrays) -> list[str]:
    found = [f"{key}: one value where an array is expected" for key in items if _EXPECT_ARRAY.fullmatch(key)]
    found += [f"{key}: an array where one value is expected, the first counts" for key in arrays if _EXPECT_ITEM.fullmatch(key)]
    if _clusters(items, arrays) and "cpu.active" in arrays:
        found.append("cpu.active: an array beside cpu.clusters.cores, the first value counts")
    return found + [f"{key}: the array is empty" for key, values in arrays.items() if key.startswith("cpu.") and not values]


def _speeds(arrays: Arrays) -> list[str]:
    found = []
    for key, speeds in arrays.items():
        match = _SPEEDS.fullmatch(key)
        if match is None:
            continue
        cluster = match[1] or ""
        powers_key = next((name for name in (f"cpu.core_power{cluster}", f"cpu.active{cluster}") if name in arrays), None)
        if powers_key and len(arrays[powers_key]) != len(speeds):
            powers = len(arrays[powers_key])
            found.append(
                f"{key} has {len(speeds)} values but {powers_key} has {powers}: the first {min(len(speeds), powers)} count"
            )
        if list(speeds) != sorted(set(speeds)):
            found.append(f"{key}: speeds are not ascending, they are sorted")
    return found


def _negative(items: Items, arrays: Arrays) -> list[str]:
    every = {**{key: (value,) for key, value in items.items()}, **arrays}
    return [f"{key}: negative" for key, values in every.items() if key.startswith("cpu.") and any(v < 0 for v in values)]


def _clusters(items: Items, arrays: Arrays) -> int:
    return len(arrays["cpu.clusters.cores"]) if "cpu.clusters.cores" in arrays else int("cpu.clusters.cores" in items)

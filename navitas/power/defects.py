"""Describe the defects of a power profile's values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

Items = Mapping[str, float]
Arrays = Mapping[str, tuple[float, ...]]

MAX_MA = 1_000_000
MOST_W = 1000.0
"""No phone uses more: a higher power is damage or a wrong unit."""
PLACEHOLDER_MA = 0.1  # of every current in AOSP's own profile

_SPEEDS = re.compile(r"cpu\.(?:core_)?speeds(\.cluster\d+)?")
_WITH_ONE_ACTIVE = re.compile(r"cpu\.clusters\.cores|cpu\.core_power\.cluster0|cpu\.scaling_(step|policy)_power\.policy\d+")
_EXPECT_ARRAY = re.compile(r"cpu\.clusters\.cores|cpu\.speeds|cpu\.(core_speeds|core_power|speeds|active)\.cluster\d+")
_EXPECT_ITEM = re.compile(r"cpu\.(suspend|idle|awake)|cpu\.cluster_power\.cluster\d+|battery\.capacity")


def defects(items: Items, arrays: Arrays) -> list[str]:
    """List missing values, scalars in place of arrays and the reverse, arrays of unequal length, and implausible values."""
    every = {**{key: (value,) for key, value in items.items()}, **arrays}
    negative = [f"{key}: negative" for key, values in every.items() if key.startswith("cpu.") and any(v < 0 for v in values)]
    return [*_capacity(items), *_missing(items, arrays), *_kinds(items, arrays), *_speeds(arrays), *negative]


def _capacity(items: Items) -> list[str]:
    if "battery.capacity" not in items:
        return ["battery.capacity is missing: no battery share can be reported"]
    if not is_capacity(items["battery.capacity"]):
        return [f"battery.capacity: {items['battery.capacity']:g} mAh is implausible: no battery share can be reported"]
    return []


def is_capacity(mah: float) -> bool:
    """Whether a battery can have that capacity. AOSP's placeholder is 1,000 mAh; a tablet has about 12,000 mAh."""
    return 1 <= mah <= 1_000_000


def _missing(items: Items, arrays: Arrays) -> list[str]:
    warnings = []
    names = {*items, *arrays}
    if not {"cpu.suspend", "cpu.idle", "cpu.awake"} & names:
        warnings.append("cpu.suspend and cpu.idle are missing: the idle phone is assumed to draw 0 mA")
    elif "cpu.suspend" in names and _clusters(items, arrays):  # the generation of Android 9, which has all of these
        expected = ["cpu.idle", "cpu.active", *(f"cpu.cluster_power.cluster{k}" for k in range(_clusters(items, arrays)))]
        warnings += [f"{key} is missing, 0 mA is assumed" for key in expected if key not in names]
    for k in range(_clusters(items, arrays)):
        warnings += [
            f"{kind}.cluster{k} is missing"
            for kind, older in (("cpu.core_speeds", "cpu.speeds"), ("cpu.core_power", "cpu.active"))
            if not {f"{kind}.cluster{k}", f"{older}.cluster{k}"} & names
        ]
    return warnings


def _kinds(items: Items, arrays: Arrays) -> list[str]:
    warnings = [f"{key}: one value where an array is expected" for key in items if _EXPECT_ARRAY.fullmatch(key)]
    warnings += [
        f"{key}: an array where one value is expected, the first is used" for key in arrays if _EXPECT_ITEM.fullmatch(key)
    ]
    newer = next((key for key in (*arrays, *items) if _WITH_ONE_ACTIVE.fullmatch(key)), None)
    if newer is not None and "cpu.active" in arrays:
        warnings.append(f"cpu.active: an array in a profile with {newer}: the first value is used, for any running core")
    warnings += [f"{key}: an <item> and an <array>, the <item> is used" for key in items if key in arrays]
    return warnings + [f"{key}: the array is empty" for key, values in arrays.items() if not values]


def _speeds(arrays: Arrays) -> list[str]:
    warnings = []
    for key, speeds in arrays.items():
        match = _SPEEDS.fullmatch(key)
        if match is None:
            continue
        cluster = match[1] or ""
        powers_key = next((name for name in (f"cpu.core_power{cluster}", f"cpu.active{cluster}") if name in arrays), None)
        if powers_key and len(arrays[powers_key]) != len(speeds):
            warnings.append(
                f"{key} has {len(speeds)} values but {powers_key} has {len(arrays[powers_key])}: the surplus is ignored"
            )
        twice = [khz for khz, count in Counter(speeds).items() if count > 1]
        if twice:
            warnings.append(f"{key}: {twice[0]:g} kHz is listed more than once, its last current is used")
        if list(speeds) != sorted(speeds):
            warnings.append(f"{key}: speeds are not ascending, they are sorted")
    return warnings


def _clusters(items: Items, arrays: Arrays) -> int:
    if "cpu.clusters.cores" in arrays:
        return len(arrays["cpu.clusters.cores"])
    return int(any(key in names for names in (items, arrays) for key in ("cpu.clusters.cores", "cpu.core_power.cluster0")))

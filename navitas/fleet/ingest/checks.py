"""Typed rows → columns in the store's units, and a reason for each refused row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.fleet.ingest.column_map import PERCENT
from navitas.fleet.ingest.raw import FORMAT
from navitas.fleet.schema import NETWORKS, PPM, SAMPLES, State, client_number
from navitas.fleet.statistics import I64, Bool

CONTROL = r"[\x00-\x1f\x7f-\x9f" + "\u2028-\u202e\u2066-\u2069]"
"""Characters that no name has, as a pattern for Python and Arrow: they end a line, steer a terminal or turn text."""
EARLIEST_S = 1199145600
"""2008-01-01, before the first Android phone."""
_DAY_S = 86400
LONGEST_S = 2.0**31 - 1
"""Most seconds of a counter."""
MAX_APPS = 1000
MAX_CLIENT = 200
_LONGEST_TEXT = 100
_STATES = {
    "unknown": State.UNKNOWN,
    "not charging": State.UNKNOWN,
    "not_charging": State.UNKNOWN,
    "discharging": State.DISCHARGING,
    "unplugged": State.DISCHARGING,
    "charging": State.CHARGING,
    "full": State.FULL,
}
_WORDS = ", ".join(_STATES)
# Android's BatteryManager.BATTERY_STATUS_*, which exports have as integers or as floats.
_STATUS = (State.UNKNOWN, State.CHARGING, State.DISCHARGING, State.UNKNOWN, State.FULL)
_STATES |= {f"{number}{end}": state for number, state in enumerate(_STATUS, 1) for end in ("", ".0")}
_NETWORKS = {name: name for name in NETWORKS} | {"wi-fi": "wifi", "cellular": "mobile", "disconnected": "none"}
_DISCHARGING, _CHARGING = (list(_STATES).index(word) for word in ("discharging", "charging"))
# Column of the input → (column of the store, its unit in the input's, least, most). Other values are dropped and counted.
_FIGURES = {
    "voltage_mv": ("voltage_mv", 1.0, 500.0, 30_000.0),
    "temperature_c": ("temperature_dc", 0.1, -60.0, 150.0),
    "cpu": ("cpu", None, 0.0, 1.0),
    "uptime_s": ("uptime_s", 1.0, 0.0, LONGEST_S),
    "brightness": ("brightness", None, 0.0, 1.0),
    **{f"{name}_s": (f"{name}_ms", 0.001, 0.0, LONGEST_S) for name in ("screen_on", "mobile", "wifi")},
}
COUNTERS = ("foreground", "running")
"""Counters of seconds by app: columns `…_s` of the input."""
ERASED = "client: was erased"
_OK = ""

Texts = NDArray[np.object_]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Checked:
    """Rows in the store's columns, with apps and counters still as texts. `reason` is empty for accepted rows.

    `by_app`: rows have one app each, so several may be of one sample.
    """

    columns: dict[str, pa.Array]
    apps: pa.ListArray
    foreground: pa.StringArray
    counters: dict[str, pa.ListArray]
    reason: Texts
    ignored: Counter[str]
    by_app: bool = False


def check(raw: pa.Table, salt: str, now_s: float, erased: I64 | None = None, scale: float = PERCENT) -> Checked:
    """Check a reader's rows. Of several reasons against a row, the first counts. `erased` are clients to refuse.

    `scale` is the level of a full battery in rows that do not have it.
    """
    column = {name: _one(raw[name]) for name in raw.column_names}
    reasons, reason = [_OK], np.zeros(raw.num_rows, np.int8)
    ignored: Counter[str] = Counter()

    def refuse(where: Bool, text: str) -> None:
        if where.any():
            reason[where & (reason == 0)] = len(reasons)
            reasons.append(text)

    number = {name: _numbers(column[name]) for name in ("format", "time", "level", "scale")}
    refuse(number["format"] > FORMAT, f"format: is later than {FORMAT}, the latest that is known")
    client = _Words(column["client"])
    length = pc.utf8_length(client.words)
    refuse(~client.each(_flags(pc.greater(length, 0)), False), "client: is missing")
    refuse(client.each(_flags(pc.greater(length, MAX_CLIENT)), False), f"client: is longer than {MAX_CLIENT} characters")
    refuse(client.each(_flags(pc.match_substring_regex(client.words, CONTROL)), False), "client: has control characters")
    time, full = number["time"], np.where(_flags(pc.is_valid(column["scale"])), number["scale"], scale)
    refuse(~((full > 0) & (full < np.inf)), "scale: is not a level above 0")
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        level = number["level"] if np.all(full == PERCENT) else number["level"] * (PERCENT / full)
    refuse(~np.isfinite(time), "time: is missing, or none")
    refuse(time < EARLIEST_S, "time: is before 2008")
    refuse(time > now_s + _DAY_S, "time: is in the future")
    refuse(np.isnan(level), "level: is missing, or no number")
    refuse(level > 100, "level: is over 100 %")
    refuse(level < 0, "level: is below 0 %")
    state, given = _Words(column["state"]).known(_STATES), column["state"].is_valid().to_numpy(zero_copy_only=False)
    refuse(given & (state < 0), f"state: is not one of {_WORDS}, or 1 to 5")
    if column["charging"].null_count < raw.num_rows:
        charging = _numbers(column["charging"].cast(pa.float64()))
        instead = np.where(charging == 1, _CHARGING, np.where(charging == 0, _DISCHARGING, state))
        state = np.where(given, state, instead)
    apps = column["apps"]
    if by_app := apps.null_count == len(apps) > column["app"].null_count:
        apps = _of_one_app(column["app"], column["version"])
    lengths = pc.fill_null(pc.list_value_length(apps), -1).to_numpy(zero_copy_only=False)
    refuse(lengths < 0, "apps: are missing (an empty list means that none ran)")
    refuse(lengths > MAX_APPS, f"apps: are more than {MAX_APPS:,}")
    numbers = np.array([client_number(name, salt) for name in client.words.to_pylist()], np.int64)
    refuse(client.each(np.isin(numbers, [] if erased is None else erased), False), ERASED)
    taken = reason == 0
    figures = {name: _figure(source, column[source], taken, ignored) for source, (name, *_) in _FIGURES.items()}
    network = _Words(column["network"]).known(_NETWORKS)
    unknown = column["network"].is_valid().to_numpy(zero_copy_only=False) & (network < 0)
    _count(ignored, "network: is not a known word", unknown & taken)
    return Checked(
        {
            "client": pa.array(np.where(taken, client.each(numbers, 0), 0)),
            "time_s": pa.array(np.floor(np.where(taken, time, 0)).astype(np.int64)),
            "level_ppm": pa.array(np.rint(np.where(taken, level, 0) * (PPM / 100)).astype(np.int32)),
            "state": pa.array(np.array([*_STATES.values(), State.UNKNOWN], np.int8)[state]),
            **figures,
            "screen": column["screen"],
            "saver": column["saver"],
            "network": pa.array([*_NETWORKS.values(), None]).take(pa.array(network % (len(_NETWORKS) + 1))),
            "model": _label(column["model"], "model", taken, ignored),
            "os": _label(column["os"], "os", taken, ignored),
        },
        apps,
        column["foreground"],
        {name: _counters(column[f"{name}_s"], name, taken, ignored) for name in COUNTERS},
        np.array(reasons, object)[reason],
        ignored,
        by_app,
    )


def _of_one_app(app: pa.Array, version: pa.Array) -> pa.ListArray:
    """Lists of the app in its version. An empty name is an empty list: none ran."""
    texts = pc.binary_join_element_wise(app, version, "@", null_handling="replace", null_replacement="")
    has_app = pc.not_equal(pc.fill_null(app, ""), "")
    offsets = np.append(0, np.cumsum(has_app.to_numpy(zero_copy_only=False)))
    names = texts.filter(has_app).dictionary_encode()
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), names, mask=pc.is_null(app))


class _Words:
    """The different texts of a column, and where each row's text is among them: after the last for a null."""

    def __init__(self, column: pa.StringArray) -> None:
        encoded = column.dictionary_encode()
        self.words = encoded.dictionary
        self._place = pc.fill_null(encoded.indices, len(self.words)).to_numpy(zero_copy_only=False)

    def each(self, values: NDArray[T], missing: Any) -> NDArray[T]:
        """Each row's value, from those of the texts."""
        of_rows: NDArray[T] = np.append(values, missing).astype(values.dtype)[self._place]
        return of_rows

    def known(self, words: Collection[str]) -> I64:
        """Where each row's text is among some words, without its case; −1 for other texts and nulls."""
        places = pc.index_in(pc.utf8_lower(self.words), pa.array(list(words)))
        return self.each(pc.fill_null(places, -1).to_numpy(zero_copy_only=False), -1)


def _one(column: pa.ChunkedArray) -> pa.Array:
    found = column.combine_chunks()
    return found.chunk(0) if isinstance(found, pa.ChunkedArray) else found


def _numbers(column: pa.Array) -> NDArray[np.float64]:
    return np.asarray(pc.fill_null(column, float("nan")).to_numpy(zero_copy_only=False), np.float64)


def _flags(column: pa.Array) -> Bool:
    return np.asarray(pc.fill_null(column, False).to_numpy(zero_copy_only=False), np.bool_)


def _count(ignored: Counter[str], what: str, where: Bool) -> None:
    if count := int(np.count_nonzero(where)):
        ignored[what] += count


def _figure(source: str, column: pa.Array, taken: Bool, ignored: Counter[str]) -> pa.Array:
    """A figure in the store's unit. Impossible values are dropped and counted."""
    name, unit, least, most = _FIGURES[source]
    if column.null_count == len(column):
        return pa.nulls(len(column), SAMPLES.field(name).type)
    value = _numbers(column)
    with np.errstate(invalid="ignore"):
        fits = (value >= least) & (value <= most)
    _count(ignored, f"{source}: is out of range", _flags(pc.is_valid(column)) & ~fits & taken)
    kept = np.where(fits, value, 0)
    stored = kept if unit is None else np.rint(kept / unit)
    return pa.array(stored, mask=~fits).cast(SAMPLES.field(name).type)


def _counters(column: pa.Array, name: str, taken: Bool, ignored: Counter[str]) -> pa.Array:
    """Counters of apps. Lists that are too long are dropped and counted."""
    if column.null_count == len(column):
        return column
    long = _flags(pc.greater(pc.list_value_length(column), MAX_APPS))
    _count(ignored, f"{name}_s: are more than {MAX_APPS:,}", long & taken)
    return pc.if_else(pa.array(taken & ~long), column, pa.scalar(None, column.type))


def _label(column: pa.Array, name: str, taken: Bool, ignored: Counter[str]) -> pa.Array:
    """A short text. Long texts, and texts with control characters, are dropped and counted."""
    if column.null_count == len(column):
        return column
    label = _Words(column)
    is_long = pc.greater(pc.utf8_length(label.words), _LONGEST_TEXT)
    bad = label.each(_flags(pc.or_(is_long, pc.match_substring_regex(label.words, CONTROL))), False)
    _count(ignored, f"{name}: is too long, or has control characters", bad & taken)
    return pc.if_else(pa.array(bad), pa.scalar(None, pa.string()), column)

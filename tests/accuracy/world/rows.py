"""Samples of a phone as an Arrow table: what it reports at each reading, as far as the regime's evidence goes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from world.battery import CHARGING
from world.catalog import version_name
from world.launches import NO_APP
from world.networks import MOBILE, NETWORKS, WIFI
from world.phone import Phone
from world.regimes import Evidence, Regime
from world.spans import Bools, Floats, Ints, Spans, covered_s, covers

START_S = 1_760_000_000.0
"""Unix time at which every world starts."""
_FULL = 99.5
_EVIDENCE: tuple[Evidence, ...] = ("bare", "counters", "foreground", "exact")
_TIMES = pa.map_(pa.string(), pa.float64())
SAMPLES = pa.schema(
    [
        ("client", pa.string()),
        ("time", pa.float64()),
        ("level", pa.float64()),
        ("state", pa.string()),
        ("screen", pa.bool_()),
        ("network", pa.string()),
        ("model", pa.string()),
        ("os", pa.string()),
        ("uptime_s", pa.float64()),
        ("apps", pa.list_(pa.string())),
        ("foreground", pa.string()),
        ("brightness", pa.float64()),
        ("saver", pa.bool_()),
        ("screen_on_s", pa.float64()),
        ("mobile_s", pa.float64()),
        ("wifi_s", pa.float64()),
        ("foreground_s", _TIMES),
        ("running_s", _TIMES),
    ]
)
"""Columns of samples. Counters are totals since the last start of the phone, and null without evidence."""


def sample_rows(regime: Regime, phone: Phone, times_s: Floats, level: Floats) -> pa.Table:
    """Return the samples of a phone at these times, with these reported levels."""
    has = _EVIDENCE.index(regime.evidence)
    phase = phone.phases.phase(times_s)
    charging = phone.phases.kind[phase] == CHARGING
    full = charging & (phone.phases.levels(times_s, phone.rates) >= _FULL)
    state = np.where(full, "full", np.where(charging, "charging", "discharging"))
    boot_s = np.append(0.0, phone.off[:, 1])[np.searchsorted(phone.off[:, 1], times_s, side="right")]
    network = phone.connections.network[phone.connections.segment(times_s)]
    indices = np.array(sorted(phone.runs), np.int64)
    running = np.stack([covers(phone.runs[int(index)], times_s) for index in indices], axis=1)
    upgraded = times_s >= phone.handset.upgrade_s

    def since_boot(spans: Spans) -> Floats:
        return np.round(covered_s(spans, times_s) - covered_s(spans, boot_s), 3)

    nothing = pa.nulls(len(times_s), pa.float64())
    columns = {
        "client": [phone.handset.client] * len(times_s),
        "time": START_S + times_s,
        "level": level,
        "state": state,
        "screen": covers(phone.person.lit, times_s),
        "network": np.array(NETWORKS)[network],
        "model": [phone.handset.model] * len(times_s),
        "os": np.where(upgraded, phone.handset.os_after, phone.handset.os_before),
        "uptime_s": np.round(times_s - boot_s, 3),
        "apps": _apps(phone, indices, running, times_s),
        "foreground": _foreground(phone, times_s),
        "brightness": pa.array(_brightness(phone, times_s), from_pandas=True),
        "saver": phone.phases.saver[phase],
        "screen_on_s": since_boot(phone.person.lit) if has >= 1 else nothing,
        "mobile_s": since_boot(phone.connections.spans(MOBILE)) if has >= 1 else nothing,
        "wifi_s": since_boot(phone.connections.spans(WIFI)) if has >= 1 else nothing,
    }
    session = np.array([index for index in indices.tolist() if phone.apps[index].way == "session"], np.int64)
    used = [since_boot(phone.foreground.spans(int(index))) for index in session] if has >= 2 else None
    ran = [since_boot(phone.runs[int(index)]) for index in indices] if has >= 3 else None
    columns["foreground_s"] = _times(phone, session, used, len(times_s))
    columns["running_s"] = _times(phone, indices, ran, len(times_s))
    return pa.table([pa.array(columns[field.name], field.type) for field in SAMPLES], SAMPLES)


def _versions(phone: Phone, index: int, times_s: Floats) -> Ints:
    return np.searchsorted(phone.handset.adopted_s[index], times_s, side="right") - 1


def _apps(phone: Phone, indices: Ints, running: Bools, times_s: Floats) -> pa.Array:
    """The running apps with their versions."""
    counts = [len(phone.handset.adopted_s[int(index)]) for index in indices]
    base = np.cumsum([0, *counts[:-1]])
    names = [
        f"{phone.apps[int(index)].package}@{version_name(v)}" for index, n in zip(indices, counts, strict=True) for v in range(n)
    ]
    number = np.stack([start + _versions(phone, int(index), times_s) for start, index in zip(base, indices, strict=True)], axis=1)
    offsets = np.append(0, np.cumsum(np.count_nonzero(running, axis=1)))
    texts = pa.array(names).take(pa.array(number[running]))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), texts)


def _foreground(phone: Phone, times_s: Floats) -> pa.Array:
    parts, apps = phone.foreground.parts, phone.foreground.apps
    if not len(parts):
        return pa.nulls(len(times_s), pa.string())
    at = np.clip(np.searchsorted(parts[:, 0], times_s, side="right") - 1, 0, None)
    app = np.where(times_s < parts[at, 1], apps[at], NO_APP)
    app[times_s < parts[0, 0]] = NO_APP
    return pa.array([None if one == NO_APP else phone.apps[one].package for one in app.tolist()], pa.string())


def _brightness(phone: Phone, times_s: Floats) -> Floats:
    """The brightness of the present session, or of the last one."""
    if not phone.handset.has_brightness:
        return np.full(len(times_s), np.nan)
    if not len(phone.person.lit):
        return np.full(len(times_s), 0.5)
    at = np.clip(np.searchsorted(phone.person.lit[:, 0], times_s, side="right") - 1, 0, None)
    return phone.person.brightness[at]


def _times(phone: Phone, indices: Ints, seconds: list[Floats] | None, rows: int) -> pa.Array:
    """Seconds by app, without apps that have none."""
    if seconds is None or not len(indices):
        return pa.nulls(rows, _TIMES)
    table = np.stack(seconds, axis=1)
    some = table > 0
    offsets = pa.array(np.append(0, np.cumsum(np.count_nonzero(some, axis=1))), pa.int32())
    names = pa.array([phone.apps[int(index)].package for index in indices]).take(pa.array(np.nonzero(some)[1]))
    return pa.MapArray.from_arrays(offsets, names, pa.array(table[some]))

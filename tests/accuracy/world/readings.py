"""When a phone is read: at changes of its level, by timers that Doze delays, or both."""

from __future__ import annotations

import numpy as np

from world.battery import CHARGING, DISCHARGING
from world.catalog import MINUTE_S
from world.people import HOUR_S
from world.phone import Phone
from world.regimes import Regime
from world.spans import Floats, covers

_JITTER = 0.1
_DOZE_AFTER_S = HOUR_S
_WINDOWS_S = np.cumsum([1.0, 2.0, 4.0, 6.0, 6.0, 6.0, 6.0]) * HOUR_S
_AT_SCREEN_ON = 0.2
_CLOSEST_S = 1.0


def reading_times(regime: Regime, phone: Phone, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the times of a phone's samples in order, and the reported level at each."""
    crossed_s, crossed = _changes(phone)
    parts = [(crossed_s, crossed)] if regime.sampling != "timer" else []
    if regime.sampling != "level":
        times_s = _timer(regime, phone, rng)
        if regime.sampling == "mixed":
            starts = phone.person.sessions[:, 0]
            times_s = np.concatenate([times_s, starts[rng.random(len(starts)) < _AT_SCREEN_ON]])
        parts.append((times_s, _reported(phone, times_s)))
    times_s = np.concatenate([one for one, _ in parts])
    level = np.concatenate([one for _, one in parts])
    order = np.argsort(times_s, kind="stable")
    times_s, level = times_s[order], level[order]
    kept = (np.diff(times_s, prepend=-_CLOSEST_S) >= _CLOSEST_S) & ~covers(phone.off, times_s) & (times_s < phone.end_s)
    return times_s[kept], level[kept]


def _reported(phone: Phone, times_s: Floats) -> Floats:
    step = phone.handset.step
    return np.asarray(np.floor(phone.phases.levels(times_s, phone.rates) / step + 1e-9) * step)


def _changes(phone: Phone) -> tuple[Floats, Floats]:
    """When the reported level changes, and when the phone is plugged in or unplugged, with the level from then on."""
    phases, step = phone.phases, phone.handset.step
    used = [rate.used(rate.edges_s) for rate in phone.rates]
    times, levels = [], []
    ends = np.append(phases.level[1:], phases.levels(np.array([phone.end_s - 1e-6]), phone.rates))
    for at, (start_s, end_s) in enumerate(zip(phases.edges_s[:-1], phases.edges_s[1:], strict=True)):
        first, last = float(phases.level[at]), float(ends[at])
        if phases.kind[at] == CHARGING:
            marks = np.arange(np.floor(first / step + 1e-9) + 1, np.floor(last / step + 1e-9) + 1) * step
            found = start_s + (marks - first) * HOUR_S / phases.percent_h
            shown = marks
        else:
            marks = np.arange(np.floor(first / step + 1e-9), np.ceil(last / step - 1e-9) - 1, -1) * step
            marks = marks[(marks <= first) & (marks > last)]
            own = used[int(phases.saver[at])]
            edges_s = phone.rates[0].edges_s
            found = np.interp(np.interp(start_s, edges_s, own) + first - marks, own, edges_s)
            shown = marks - step
        if at and phases.kind[at] != phases.kind[at - 1]:
            times.append(np.array([start_s]))
            levels.append(np.floor(np.array([first]) / step + 1e-9) * step)
        inside = (found >= start_s) & (found < end_s)
        times.append(found[inside])
        levels.append(np.maximum(shown[inside], 0.0))
    return np.concatenate(times), np.concatenate(levels)


def _timer(regime: Regime, phone: Phone, rng: np.random.Generator) -> Floats:
    interval_s = phone.handset.timer_s
    count = int(phone.end_s / interval_s / (1 - _JITTER)) + 2
    gaps = interval_s * (1 + rng.uniform(-_JITTER, _JITTER, count))
    times_s = np.cumsum(gaps) - rng.random() * interval_s
    times_s = times_s[(times_s >= 0) & (times_s < phone.end_s)]
    return _dozed(phone, times_s) if regime.doze else times_s


def _dozed(phone: Phone, times_s: Floats) -> Floats:
    """Delay timers of an unplugged phone whose screen is off for long to maintenance windows, or to the next screen session."""
    sessions = phone.person.sessions
    before = np.searchsorted(sessions[:, 0], times_s, side="right") - 1
    off_since = np.where(before >= 0, sessions[np.maximum(before, 0), 1], 0.0)
    unplugged_since = phone.phases.edges_s[phone.phases.phase(times_s)]
    idle_since = np.maximum(off_since, unplugged_since) + _DOZE_AFTER_S
    discharging = phone.phases.kind[phone.phases.phase(times_s)] == DISCHARGING
    dozing = discharging & (times_s > idle_since)
    following = np.append(sessions[:, 0], np.inf)[before + 1]
    window = np.searchsorted(_WINDOWS_S, times_s - idle_since)
    opens = idle_since + np.append(_WINDOWS_S, np.inf)[np.minimum(window, len(_WINDOWS_S))]
    delayed = np.minimum(np.minimum(opens, following), phone.end_s + MINUTE_S)
    return np.unique(np.where(dozing, delayed, times_s))

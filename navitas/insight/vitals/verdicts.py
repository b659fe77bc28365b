"""Amounts in the time on battery → rates, and verdicts by the limits of Google Play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from navitas.android.batterystats.numbers import is_app
from navitas.insight.vitals.device_use import Bounds, UidUse
from navitas.insight.vitals.thresholds import DAY_MS, MOBILE_BYTES, VITALS, WAKE_LOCKS, WAKEUPS, WIFI_SCANS, Vital

SEVERAL_DAYS = "the sum of several days"
Verdict = Literal["bad", "ok", "not_known"]
UnknownReason = Literal["not_an_app", "not_in_dump", "no_time", "too_short", "between_bounds"]
REASON_TEXTS: dict[UnknownReason, str] = {
    "not_an_app": "Play judges apps, and this is a part of the system",
    "not_in_dump": "the dump does not have it",
    "no_time": "the dump has no time on battery",
    "too_short": "the time on battery is too short",
    "between_bounds": "there is only a range, and the limit is within it",
}


@dataclass(frozen=True, slots=True)
class VitalFigure:
    """A metric of one app. `amount` is that of the whole time on battery, `rate` that of the metric's window, on the worst day.

    `is_extrapolated`: the time on battery is shorter than the window, so the verdict is not certain. `reason` is set if the
    verdict is not known.
    """

    vital: Vital
    amount: Bounds | None
    rate: Bounds | None
    verdict: Verdict
    reason: UnknownReason | None = None
    is_extrapolated: bool = False

    @property
    def share_of_limit(self) -> float:
        """The known rate, divided by the limit."""
        return self.rate.low / self.vital.limit if self.rate is not None else 0.0


def figures_of(use: UidUse, on_battery_ms: float | None) -> tuple[VitalFigure, ...]:
    """Return all metrics of a uid, in the order of `VITALS`."""
    amounts = {WAKE_LOCKS: use.held_ms, WAKEUPS: use.wakeups, WIFI_SCANS: use.scans, MOBILE_BYTES: use.mobile_bytes}
    return tuple(judge(vital, amounts[vital], on_battery_ms, use.uid) for vital in VITALS)


def judge(vital: Vital, amount: Bounds | None, on_battery_ms: float | None, uid: int) -> VitalFigure:
    """Judge an amount. What reaches the limit in less than the metric's window is bad, however short the time is.

    Play judges each day. Of several days only the sum is known, so the rate of the worst one has bounds.
    """
    if amount is None:
        return VitalFigure(vital, None, None, "not_known", "not_in_dump")
    if not on_battery_ms:
        return VitalFigure(vital, amount, None, "not_known", "no_time")
    rate = _rate(vital, amount, on_battery_ms)
    is_short = on_battery_ms < vital.window_ms
    is_reached = is_short and _is_bad(vital, amount.low)
    is_too_short = on_battery_ms < vital.least_ms and not is_reached
    verdict, reason = _judged(vital, rate, uid, is_reached=is_reached, is_too_short=is_too_short)
    return VitalFigure(vital, amount, None if is_too_short else rate, verdict, reason, is_short and not is_reached)


def _rate(vital: Vital, amount: Bounds, on_battery_ms: float) -> Bounds:
    """The rate on the worst day. It has at least that of the mean day, and at most all of the amount."""
    low = amount.low * vital.window_ms / on_battery_ms
    if on_battery_ms <= DAY_MS:
        return Bounds(low, None if amount.high is None else amount.high * vital.window_ms / on_battery_ms, amount.why)
    high = None if amount.high is None else amount.high * vital.window_ms / DAY_MS
    if vital.unit == "ms":
        low = max(low, amount.low - (on_battery_ms - DAY_MS))
        high = None if high is None else min(high, DAY_MS)
    return Bounds(low, high, "; ".join(filter(None, (amount.why, SEVERAL_DAYS if high != low else ""))))


def _judged(
    vital: Vital, rate: Bounds, uid: int, *, is_reached: bool, is_too_short: bool
) -> tuple[Verdict, UnknownReason | None]:
    if not is_app(uid):
        return "not_known", "not_an_app"
    if is_too_short:
        return "not_known", "too_short"
    if is_reached or _is_bad(vital, rate.low):
        return "bad", None
    return ("not_known", "between_bounds") if rate.high is None or _is_bad(vital, rate.high) else ("ok", None)


def is_extrapolated(figures: Sequence[VitalFigure]) -> bool:
    """Return whether the verdict on an app depends on an extrapolated one."""
    verdict = verdict_of(figures)
    deciding = [figure.is_extrapolated for figure in figures if figure.verdict == verdict]
    return (all if verdict == "bad" else any)(deciding) and verdict != "not_known"


def verdict_of(figures: Sequence[VitalFigure]) -> Verdict:
    """Return the verdict on an app: the worst one of its metrics."""
    found = {figure.verdict for figure in figures}
    return "bad" if "bad" in found else "not_known" if "not_known" in found else "ok"


def _is_bad(vital: Vital, value: float) -> bool:
    return value > vital.limit if vital.is_exclusive else value >= vital.limit

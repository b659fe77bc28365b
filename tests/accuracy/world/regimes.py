"""Parameters of simulated worlds, and the regimes by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Evidence = Literal["bare", "counters", "foreground", "exact"]
Way = Literal["timer", "session", "resident", "companion"]
Sampling = Literal["level", "timer", "mixed"]
Role = Literal[
    "mobile", "evening", "outdoors", "saver-off", "saver-on", "companion-80", "companion-95", "foreground",
    "twin", "navigation", "os-added", "os-timer", "os-removed", "os-updated",
]  # fmt: skip

ROLES: tuple[Role, ...] = (
    "mobile",
    "evening",
    "outdoors",
    "saver-off",
    "saver-on",
    "companion-80",
    "companion-95",
    "foreground",
)
OS_ROLES: tuple[Role, ...] = ("os-added", "os-timer", "os-removed", "os-updated")
"""Apps that an OS upgrade adds (one of them runs half of the time), removes, or brings a version of. They drain nothing."""


@dataclass(frozen=True, slots=True)
class Regime:
    """Parameters of a world. Shares are fractions of 1; each parameter can change alone.

    `linked`: apps also run because of the screen and of other apps; if false, all apps are timers and residents. `steps`:
    steps of the reported level in percent, and `timers_s`: sampling intervals; each phone draws one of them. Each of
    `evidence` includes those before it. `bugs`: the least number of pairs of phone and app. `*_share` of `upgrade`,
    `evening`, `saver`, `manual_saver`, `brightness` and `bad` are shares of phones; `burst_share` is the expected share of
    drained energy, and `trip_share` that of times outdoors with a lit screen. `upgraded` is the range of factors of the idle
    drain by an OS upgrade, `off_min` that of the time that a restart takes. Hogs run in the
    ways of `hog_ways`, or if it is empty, in the usual ones. Samples are files of batterystats if `is_history`.
    """

    phones: int = 600
    days: int = 28
    apps: int = 150
    hogs: int = 15
    since_hogs: int = 3
    bugs: int = 20
    planted: tuple[Role, ...] = ()
    linked: bool = True
    sampling: Sampling = "level"
    steps: tuple[float, ...] = (1.0,)
    timers_s: tuple[float, ...] = (900.0,)
    doze: bool = False
    evidence: Evidence = "counters"
    releases: float = 0.7
    reboots_per_day: float = 0.1
    upgrade_share: float = 0.2
    ageing_per_year: float = 0.05
    bursts_per_day: float = 4.0
    burst_share: float = 0.05
    evening_share: float = 0.15
    outdoors_per_day: float = 2.0
    saver_share: float = 0.5
    manual_saver_share: float = 0.1
    upgraded: tuple[float, float] = (0.8, 1.4)
    run_means_min: tuple[float, ...] = (10.0, 30.0, 120.0)
    stays_min: tuple[float, float] = (3.0, 180.0)
    hog_stay_min: float = 10.0
    hog_ways: tuple[Way, ...] = ()
    off_min: tuple[float, float] = (1.0, 1.0)
    trip_share: float = 0.0
    brightness_share: float = 1.0
    bad_share: float = 0.0
    is_history: bool = False


_INDEPENDENT = Regime(linked=False)
_TIMER = Regime(sampling="timer", timers_s=(300.0, 900.0, 1800.0))
_LEVEL = Regime(sampling="level")
_MIXED = Regime(sampling="mixed", timers_s=(300.0, 900.0, 1800.0))
_DOZE = replace(_MIXED, doze=True, steps=(1.0, 5.0))
_CONFOUNDERS = replace(_MIXED, planted=ROLES, evening_share=0.5, outdoors_per_day=3.0, saver_share=0.7, manual_saver_share=0.4)

REGIMES: dict[str, Regime] = {
    "timer, independent apps": replace(_INDEPENDENT, sampling="timer"),
    "level 1 %, independent apps": _INDEPENDENT,
    "level 5 %, independent apps": replace(_INDEPENDENT, steps=(5.0,)),
    "timer, session apps": _TIMER,
    "timer, session apps, bare": replace(_TIMER, evidence="bare"),
    "level 1 %, session apps": _LEVEL,
    "level 1 %, session apps, bare": replace(_LEVEL, evidence="bare"),
    "mixed with Doze": _DOZE,
    "mixed with Doze, bare": replace(_DOZE, evidence="bare"),
    "exact histories": replace(_LEVEL, evidence="exact"),
    "level 5 %, exact histories": replace(_INDEPENDENT, steps=(5.0,), evidence="exact"),
    "confounders": _CONFOUNDERS,
    "confounders, bare": replace(_CONFOUNDERS, evidence="bare"),
    "changes": replace(_MIXED, hogs=20, since_hogs=15, releases=2.0, upgrade_share=0.5, ageing_per_year=0.1),
    "heavy tails": replace(_LEVEL, bursts_per_day=12.0, burst_share=0.3),
    "bugs": replace(_LEVEL, bugs=200),
}

_SMALL = Regime(phones=150, days=14, apps=80, hogs=16, since_hogs=2, bugs=8)
_RAISED = replace(_SMALL, upgrade_share=0.6, upgraded=(1.5, 2.2))
_SHORT = replace(
    _SMALL,
    planted=("twin",),
    run_means_min=(4.0, 8.0, 15.0),
    stays_min=(4.0, 15.0),
    hog_stay_min=4.0,
    hog_ways=("session", "companion", "timer"),
)
_OFF = replace(_SMALL, reboots_per_day=0.4, off_min=(60.0, 600.0))

HARD_CASES: dict[str, Regime] = {
    "plain": _SMALL,
    "bad phones": replace(_SMALL, bad_share=0.02),
    "upgrade raises the drain": replace(_RAISED, planted=("os-added", "os-updated")),
    "upgrade lowers the drain": replace(_RAISED, planted=("os-removed", "os-updated"), upgraded=(0.4, 0.7)),
    "upgrade with several apps": replace(_RAISED, planted=OS_ROLES),
    "many updates": replace(_SMALL, since_hogs=12, releases=2.0, upgrade_share=0.5),
    "short stays": _SHORT,
    "short stays, bare": replace(_SHORT, evidence="bare"),
    "screen app outdoors": replace(
        _SMALL, planted=("navigation", "outdoors", "foreground"), trip_share=0.5, brightness_share=0.5
    ),
    "hours off": _OFF,
    "hours off, histories": replace(_OFF, phones=60, apps=40, hogs=10, is_history=True),
    "all clean": replace(_SMALL, phones=300, hogs=0, since_hogs=0, bugs=0),
}
"""Regimes that `tests/accuracy/hard_cases.py` judges."""

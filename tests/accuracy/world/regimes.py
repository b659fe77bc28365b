"""Parameters of simulated worlds, and the regimes by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Evidence = Literal["bare", "counters", "foreground", "exact"]
Sampling = Literal["level", "timer", "mixed"]
Role = Literal["mobile", "evening", "outdoors", "saver-off", "saver-on", "companion-80", "companion-95", "foreground"]

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


@dataclass(frozen=True, slots=True)
class Regime:
    """Parameters of a world. Shares are fractions of 1; each parameter can change alone.

    `linked`: apps also run because of the screen and of other apps; if false, all apps are timers and residents. `steps`:
    steps of the reported level in percent, and `timers_s`: sampling intervals; each phone draws one of them. Each of
    `evidence` includes those before it. `bugs`: the least number of pairs of phone and app. `*_share` of `upgrade`,
    `evening`, `saver` and `manual_saver` are shares of phones; `burst_share` is the expected share of drained energy.
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

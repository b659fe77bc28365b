"""Pages of comparisons, histories, fleets and apps, made of a few figures with any names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.diagnoses.app_drains import DrainRow
from navitas.fleet.findings.results import AppRow, BugRow, HogRow, ScoreRow
from navitas.fleet.page.app_page import AppContents, app_page
from navitas.fleet.page.document import ClientSection, Contents, page
from navitas.fleet.page.tables import MethodRow, Recorded
from navitas.insight.compare.comparison import LEAST_SHARE, MARGIN_PERCENT, compare
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.session import Session
from navitas.insight.compare.versions import ComparedVersions
from navitas.insight.history.trend import trends
from navitas.report.change_pages.comparison_page import comparison_page
from navitas.report.change_pages.history_page import history_page
from support.made_sessions import TEST, made_session

PLAIN = ("com.example.mail.synchronization.MailSynchronizationTest#synchronizesAll", "a.WaitTest#waits", "a.SortTest#sorts")
_SPREAD = (0.99, 1.0, 1.01)
CHOICE = FigureChoice()


def sessions_of(energies_j: Sequence[float], names: Sequence[str] = (TEST,), first: int = 0) -> list[Session]:
    """Return a session of three runs for each energy, with tests, a project and a device of these names."""
    made = []
    for number, energy_j in enumerate(energies_j, first):
        session = made_session(
            [energy_j * factor for factor in _SPREAD], number, revision=f"{number:08x}" * 5, tests=names, project=names[0]
        )
        made.append(replace(session, name=f"{names[0]} {number}"))
    return made


def compared(before_j: Sequence[float], after_j: Sequence[float], names: Sequence[str] = PLAIN) -> ComparedVersions:
    """Return the comparison of sessions with these energies."""
    before, after = sessions_of(before_j, names), sessions_of(after_j, names, len(before_j))
    comparison = compare(before, after, CHOICE, together=False, margin_percent=MARGIN_PERCENT, least_share=LEAST_SHARE)
    return ComparedVersions(tuple(before), tuple(after), CHOICE, False, MARGIN_PERCENT, comparison)


def compared_text(names: Sequence[str] = PLAIN) -> str:
    """Return the page of a comparison in which all tests need a fifth more."""
    return comparison_page(compared([10.0, 10.1, 9.9], [12.0, 12.1, 11.9], names))


def history_text(names: Sequence[str] = PLAIN) -> str:
    """Return the page of a history with one change point."""
    sessions = sessions_of([10.0, 10.1, 9.9, 10.05, 14.0, 14.1, 13.9, 14.05], names)
    return history_page(trends(sessions, CHOICE, 0.01), "app", sessions, [f"left out: {names[0]}"])


DRAINS: dict[str, float] = {"extra_percent_h": 2.5, "extra_low_percent_h": 2.1, "extra_high_percent_h": 2.9}
GAINS: dict[str, float] = {"gain_min": 64.0, "gain_low_min": 32.0, "gain_high_min": 102.0}
EFFECT: dict[str, Any] = {
    "pairs": 900,
    "hours": 70.0,
    "drain_percent_h": 14.0,
    "life_min": 400.0,
    **DRAINS,
    **GAINS,
    **{"gain_percent": 16.0, "gain_low_percent": 8.0, "gain_high_percent": 25.0},
}


def _bugs(names: Sequence[str]) -> list[BugRow]:
    return [BugRow(**EFFECT, false_discovery_rate=3e-9, app=app, client="c0ffee") for app in names]


def _verdicts(names: Sequence[str]) -> list[AppRow]:
    return [
        AppRow(app, "hog", 30, 20, 70.0, **DRAINS, drains_below_percent_h=None, alone_percent_h=2.0, reliability=0.9,
               screen_known_percent=None, runs_with=names[0], correlation=0.5)
        for app in names
    ]  # fmt: skip


def _actions(names: Sequence[str]) -> list[ActionRow]:
    return [
        ActionRow(app, "hog", "c0ffee", f"version {app}", "update", "2", f"updating {app}", 30, 90.0, **DRAINS, **GAINS)
        for app in names
    ]


def _recorded(names: Sequence[str]) -> dict[str, Recorded]:
    return {names[0]: Recorded(names[0], (MethodRow(names[0], 1.5, 60.0), MethodRow("a.B.c", 1.0, 40.0)))}


def app_text(names: Sequence[str] = PLAIN) -> str:
    """Return the page of an app whose versions, weeks, models and conditions have these names."""
    values, change = np.linspace(5, 20, 40), {"more_percent_h": 0.4, "more_low_percent_h": 0.1, "more_high_percent_h": 0.7}
    pairs = zip([None, *names], names, strict=False)
    drains = [
        DrainRow(names[0], by, value, before, 30 + i, **DRAINS, **(change if before else dict.fromkeys(change)))
        for i, (before, value) in enumerate(pairs)
        for by in ("version", "week", "os", "model", "network", "screen")
    ]
    return app_page(
        AppContents(
            fleet=f"Fleet {names[0]}", row=_verdicts(names)[0], verdict=f"{names[0]}: hog.", since=names[0], drains=drains,
            actions=_actions(names), bugs=_bugs(names), distributions={names[0]: (values + 2, values)},
            recorded=_recorded(names), warnings=[f"few samples of {names[0]}"],
        )
    )  # fmt: skip


def fleet_text(names: Sequence[str] = PLAIN) -> str:
    """Return the page of a fleet whose hogs have these names, with a client and a recording."""
    rates = (3e-9, 0.0023, 0.04)
    hogs = [
        HogRow(**EFFECT, false_discovery_rate=rate, app=app, clients=30 + i, contrasted_clients=20, alone_percent_h=2.0)
        for i, (app, rate) in enumerate(zip(names, rates, strict=False))
    ]
    actions = _actions(names)
    scores = [ScoreRow(f"c{i}", names[0], names[-1], 300, 1.0, 12.0, 13.0, 500.0, 400.0 + 9 * i, i * 10.0, 9) for i in range(10)]
    values = np.linspace(5, 20, 40)
    return page(
        Contents(
            title=f"Fleet {names[0]}", usual_percent_h=12.0, hogs=hogs, bugs=_bugs(names), scores=scores, actions=actions,
            distributions=dict.fromkeys(names, (values + 2, values)), verdicts=_verdicts(names),
            warnings=[f"few samples of {names[0]}"], recorded=_recorded(names),
            client=ClientSection(scores[3], actions),
        )
    )  # fmt: skip


TEXTS = {"comparison": compared_text, "history": history_text, "fleet": fleet_text, "app": app_text}

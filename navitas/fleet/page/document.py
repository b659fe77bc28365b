"""The HTML page: summary, one client, hogs, their distributions, conditions, bugs, J-scores, methods of recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources

import numpy as np

from navitas.base.html_page.page import base_style, document, name, table, text
from navitas.base.units import counted
from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.figures import number
from navitas.fleet.findings.results import AppRow, BugRow, HogRow, ScoreRow
from navitas.fleet.page.pictures import histogram_picture, interval, interval_picture
from navitas.fleet.statistics import F64


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method of an app's recording, and its share of the app's energy."""

    method: str
    energy_j: float
    share_percent: float


@dataclass(frozen=True, slots=True)
class Recorded:
    """The methods of an app's recording that used most energy."""

    recording: str
    methods: tuple[MethodRow, ...]


@dataclass(frozen=True, slots=True)
class ClientSection:
    """One client: its score and its actions."""

    score: ScoreRow
    actions: Sequence[ActionRow]


@dataclass(frozen=True, slots=True)
class Contents:
    """The contents of the page. `distributions` has drains in %/h with and without an app, by app name."""

    title: str
    usual_percent_h: float
    hogs: Sequence[HogRow]
    bugs: Sequence[BugRow]
    scores: Sequence[ScoreRow]
    actions: Sequence[ActionRow]
    distributions: dict[str, tuple[F64, F64]]
    verdicts: Sequence[AppRow] = ()
    warnings: Sequence[str] = ()
    recorded: dict[str, Recorded] = field(default_factory=dict)
    client: ClientSection | None = None
    top: int = 50


_MOST_APPS = 10_000


def page(contents: Contents) -> str:
    """The whole page. It has no script, and its Content-Security-Policy lets it load nothing."""
    style = base_style() + (resources.files("navitas.fleet.page") / "pictures.css").read_text("utf-8")
    client = contents.client
    sections = [
        _facts(contents),
        "" if client is None else _client(client, contents.scores),
        _hogs(contents),
        _distributions(contents),
        _conditions(contents),
        _bugs(contents),
        _scores(contents.scores),
        _verdicts(contents),
        _recorded(contents),
    ]
    return "".join(document(contents.title, style, ["\n".join(filter(None, sections))]))


def _facts(contents: Contents) -> str:
    samples = sum(row.samples for row in contents.scores)
    counts = {"client": len(contents.scores), "sample": samples, "hog": len(contents.hogs), "bug": len(contents.bugs)}
    facts = [(value, what) for value, _, what in (counted(count, noun).partition(" ") for noun, count in counts.items())]
    facts.insert(2, (f"{contents.usual_percent_h:.1f} %/h", "usual drain"))
    shown = "".join(f"<div><b>{value}</b>{what}</div>" for value, what in facts)
    warnings = "".join(f"<p><b>{text(one)}</b></p>" for one in contents.warnings)
    return f"<h1>{text(contents.title)}</h1><div class=facts>{shown}</div>{warnings}"


def _hogs(contents: Contents) -> str:
    rows = contents.hogs[: contents.top]
    most = max((row.extra_high_percent_h for row in rows), default=1.0)
    shown = table(
        ["App", f"Extra drain, 0 to {most:.1f} %/h", "Clients", "Extra %/h", "Life without it: min", "%", "Since", "FDR"],
        (
            [
                _app(row.app, contents.recorded),
                interval_picture(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, most),
                f"{row.clients:,}",
                interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 2),
                interval(row.gain_min, row.gain_low_min, row.gain_high_min),
                interval(row.gain_percent, row.gain_low_percent, row.gain_high_percent),
                text(row.since_version or ""),
                f"{row.false_discovery_rate:.2g}",
            ]
            for row in rows
        ),
        texts=2,
    )
    about = (
        "Apps that drain the battery faster on every phone: each client is compared with itself. %/h is percent of a full "
        "battery per hour. Intervals are 95 %. Since: the first version that drains, if known. FDR: the expected share of false "
        "findings among those at least this certain. Stop the app or use an earlier version; developers can profile this one."
    )
    return f"<h2>Hogs</h2><p>{about}{_more(len(contents.hogs), len(rows))}</p>{shown}"


def _distributions(contents: Contents) -> str:
    pictures = [
        f"<div><h3>{name(app)}</h3>"
        f"{histogram_picture([('without', 'without it', without), ('with', 'with it', used)], '%/h')}"
        f"<small>{counted(len(used), 'client')}</small></div>"
        for app, (used, without) in contents.distributions.items()
    ]
    if not pictures:
        return ""
    key = "<p class=key>Clients by drain: <i class=without></i>without the app <i class=with></i>with it</p>"
    return f"<h2>With and without</h2>{key}<div class=grid>{''.join(pictures)}</div>"


def _conditions(contents: Contents) -> str:
    rows = [row for row in contents.actions if row.where or row.action != "kill"]
    if not rows:
        return ""
    shown = table(
        ["App", "Drains where", "What helps", "Extra %/h", "Gain min"],
        (
            [
                _app(row.app, contents.recorded),
                text(row.where or "everywhere"),
                text(row.text),
                interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 1),
                interval(row.gain_min, row.gain_low_min, row.gain_high_min),
            ]
            for row in rows[: contents.top]
        ),
        texts=3,
    )
    about = "Conditions under which apps drain, found by comparing clients and pairs of samples, and actions that help."
    return f"<h2>Conditions</h2><p>{about}{_more(len(rows), contents.top)}</p>{shown}"


def _bugs(contents: Contents) -> str:
    rows = contents.bugs[: contents.top]
    most = max((row.extra_high_percent_h for row in rows), default=1.0)
    shown = table(
        ["Client", "App", f"Extra drain, 0 to {most:.1f} %/h", "Extra %/h", "Life if fixed: min", "FDR"],
        (
            [
                name(row.client),
                _app(row.app, contents.recorded),
                interval_picture(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, most),
                interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 1),
                interval(row.gain_min, row.gain_low_min, row.gain_high_min),
                f"{row.false_discovery_rate:.2g}",
            ]
            for row in rows
        ),
        texts=3,
    )
    about = "Apps that drain far more on one client than on others."
    return f"<h2>Bugs</h2><p>{about}{_more(len(contents.bugs), len(rows))}</p>{shown}"


def _scores(scores: Sequence[ScoreRow], mark: ScoreRow | None = None) -> str:
    known = np.array([row.jscore_percent for row in scores if row.jscore_percent is not None], np.float64)
    life = np.array([row.active_life_min / 60 for row in scores if row.active_life_min is not None], np.float64)
    own = None if mark is None or mark.active_life_min is None else mark.active_life_min / 60
    pictures = (
        ("Battery life in use", histogram_picture([("without", "battery life in use", life)], "h", own)),
        ("J-score", histogram_picture([("without", "J-scores", known)], "%", None if mark is None else mark.jscore_percent)),
    )
    shown = "".join(f"<div><h3>{title}</h3>{picture}</div>" for title, picture in pictures)
    if mark is not None:
        return f"<div class=grid>{shown}</div>"
    about = "The percentage of a client's peers (of its model) whose batteries drain faster in use, so scores are about uniform."
    return f"<h2>J-scores</h2><p>{about}</p><div class=grid>{shown}</div>"


def _client(client: ClientSection, scores: Sequence[ScoreRow]) -> str:
    row = client.score
    facts = [
        (number(row.jscore_percent, 0), f"J-score, of {row.peers:,} peers"),
        (number(row.active_life_min and row.active_life_min / 60), "hours of battery life in use"),
        (number(row.drain_percent_h), "%/h in total"),
        (text(row.model or "–"), "model"),
        (text(row.os or "–"), "OS"),
    ]
    shown = "".join(f"<div><b>{value}</b>{what}</div>" for value, what in facts)
    actions = table(
        ["Action", "Reason", "Runs % of the time", "Battery life gained: min"],
        (
            [
                text(one.text),
                text(one.why),
                number(one.share_percent, 0),
                interval(one.gain_min, one.gain_low_min, one.gain_high_min),
            ]
            for one in client.actions
        ),
        texts=2,
    )
    advice = actions if client.actions else "<p>It runs no hog, and has no known bug.</p>"
    return f"<h2>Client {name(row.client)}</h2><div class=facts>{shown}</div>{advice}{_scores(scores, row)}"


def _verdicts(contents: Contents) -> str:
    rows = contents.verdicts[:_MOST_APPS]
    shown = table(
        ["App", "Verdict", "Clients", "Hours", "Extra %/h", "Runs with"],
        (
            [
                name(row.app),
                text(row.verdict),
                f"{row.clients:,}",
                number(row.hours, 0),
                interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 2),
                name(row.runs_with or ""),
            ]
            for row in rows
        ),
        texts=2,
    )
    about = (
        "Every app by name, so that a clean app differs from one that cannot be judged. Extra drain is an association: what "
        "drains while an app runs and is not in the samples counts for the app."
    )
    heading = f"<h2>All apps</h2><p>{about}{_more(len(contents.verdicts), len(rows))}</p>"
    return f"{heading}<details><summary>{counted(len(rows), 'app')}</summary>{shown}</details>" if rows else ""


def _recorded(contents: Contents) -> str:
    sections = [
        f"<details open id={_anchor(app, contents.recorded)}><summary>{name(app)} <small>{text(one.recording)}</small></summary>"
        + table(
            ["Method", "Energy J", "%"],
            ([name(row.method), number(row.energy_j, 3), number(row.share_percent)] for row in one.methods),
        )
        + "</details>"
        for app, one in contents.recorded.items()
    ]
    about = "Recorded hogs and apps with bugs: the methods that use most energy."
    return f"<h2>Methods</h2><p>{about}</p>{''.join(sections)}" if sections else ""


def _app(app: str, recorded: Mapping[str, Recorded]) -> str:
    """An app's name, linked to its methods if there is a recording."""
    return f'<a href="#{_anchor(app, recorded)}">{name(app)}</a>' if app in recorded else name(app)


def _anchor(app: str, recorded: Mapping[str, Recorded]) -> str:
    return f"methods-{list(recorded).index(app)}"


def _more(there: int, shown: int) -> str:
    return f" The first {shown:,} of {there:,}." if there > shown else ""

"""What a fleet says in sentences: which apps drain, how sure that is, and what one client can gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from navitas.base.units import counted, unbroken
from navitas.base.untrusted_text import printable, printable_list
from navitas.fleet.diagnoses.advice import ActionRow
from navitas.fleet.diagnoses.app_drains import DrainRow
from navitas.fleet.figures import number, with_interval
from navitas.fleet.findings.results import AppRow, BugRow, HogRow, ScoreRow

ASSOCIATION = "An association is not a cause: what drains while an app runs and is not in the samples counts for the app."
_NAMED = 3


def fleet_statements(hogs: Sequence[HogRow], bugs: Sequence[BugRow], verdicts: Sequence[AppRow]) -> Iterator[str]:
    """Yield the sentences on hogs and bugs, the clearest first. `verdicts` are on all apps."""
    apps = counted(len(verdicts), "app")
    if hogs:
        shown = printable_list([f"{row.app} {_extra(row, 2)}" for row in hogs], _NAMED)
        drain = "drains" if len(hogs) == 1 else "drain"
        yield f"{len(hogs):,} of {apps} {drain} more than usual on every phone (hogs): {shown}. {ASSOCIATION}"
    else:
        yield f"No app is known to drain more than usual on every phone (0 of {apps})."
    if bugs:
        pairs, clearest = counted(len(bugs), "pair"), bugs[0]
        drain = "drains" if len(bugs) == 1 else "drain"
        yield (
            f"{pairs} of a client and an app {drain} far more than on other clients (bugs). The clearest is {clearest.app} on"
            f" {clearest.client}: {_extra(clearest, 1)}."
        )


def client_statement(score: ScoreRow, actions: Sequence[ActionRow]) -> str:
    """Return the sentences on one client: how it compares with others, and its largest gain."""
    facts = []
    if score.active_life_min is not None:
        facts.append(f"lasts {number(score.active_life_min / 60)} h in use")
    if score.jscore_percent is not None:
        facts.append(f"drains slower than {score.jscore_percent:.0f} % of {counted(score.peers, 'peer')}")
    sentence = f"The battery of client {score.client} {' and '.join(facts) or 'has too few samples'}."
    gain = next((action for action in actions if action.gain_min is not None), None)
    if gain is None:
        return sentence
    minutes = unbroken(f"{with_interval(gain.gain_min, gain.gain_low_min, gain.gain_high_min)} min")
    return f"{sentence} Its largest known gain is {gain.text}: {minutes}."


def app_statements(
    since: str | None, drains: Sequence[DrainRow], actions: Sequence[ActionRow], bugs: Sequence[BugRow]
) -> Iterator[str]:
    """Yield the sentences on one app: its latest version, the condition under which it drains most, and clients with bugs."""
    versions = [row for row in drains if row.by == "version"]
    if versions:
        yield _latest(versions[-1]) + ("" if since is None else f" It drains since version {printable(since)}.")
    else:
        yield "Its versions cannot be compared: none is known that three clients run."
    worst = next((row for row in actions if row.where), None)
    if worst is not None:
        clients = unbroken(counted(worst.clients or 0, "client"))
        yield f"It drains most with {printable(worst.where)}: {_extra(worst, 1)}, on {clients}. {ASSOCIATION}"
    else:
        yield "No OS, model, network or version is known on which it drains more than elsewhere."
    if bugs:
        drains_there = f"{counted(len(bugs), 'client')}, it drains far more than on others (bugs)"
        yield f"On {drains_there}, most of all on {bugs[0].client}: {_extra(bugs[0], 1)}."


def _latest(row: DrainRow) -> str:
    """Whether the latest version drains more than the one before it."""
    value, before = printable(row.value), printable(row.before or "")
    low, high = row.more_low_percent_h, row.more_high_percent_h
    if row.before is None:
        return f"Version {value} has no version before it that three clients run."
    more = unbroken(f"{with_interval(row.more_percent_h, low, high, 2)} %/h")
    if low is not None and low > 0:
        return f"Version {value} drains more than {before}: {more}."
    if high is not None and high < 0:
        return f"Version {value} drains less than {before}: {more}."
    return f"It is not known whether version {value} drains more than {before}: {more}."


def _extra(row: HogRow | BugRow | ActionRow, digits: int) -> str:
    extra = with_interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, digits)
    return unbroken(f"{extra} %/h")

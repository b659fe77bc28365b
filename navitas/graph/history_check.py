"""Compare a recording's alarms and jobs with the history that batterystats kept at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from navitas.graph.delivery_tags import WAKE_UP, job_component
from navitas.graph.module_graph import ModuleGraph, ScheduledTag, TagKind
from navitas.parse.tables import RunTables

Difference = Literal[
    "", "no_alarms_in_history", "no_jobs_in_history", "listener", "work", "only_in_history", "fewer_in_recording",
    "only_in_recording", "fewer_in_history",
]  # fmt: skip
"""Empty if both counts are equal."""
WORK_SERVICE = "androidx.work.impl.background.systemjob.SystemJobService"


@dataclass(frozen=True, slots=True)
class CheckedTag:
    """How many times modules received an alarm or job in a recording, and how many times the history has it.

    `in_history` is None if the history has no alarms, or no jobs, of any app.
    """

    kind: TagKind
    tag: str
    modules: tuple[str, ...]
    recorded: int
    in_history: int | None
    difference: Difference


@dataclass(frozen=True, slots=True)
class HistoryCheck:
    """The alarms and jobs of the runs with a history. `unjoined` events have no time, because the clock was set."""

    tags: tuple[CheckedTag, ...]
    runs: int
    unjoined: int


def history_check(graph: ModuleGraph, runs: Iterable[RunTables]) -> HistoryCheck | None:
    """Compare, over the runs that have a history. Returns None if there is none."""
    events = {run.run_id: run.app.history_events for run in runs if run.app.history_events is not None}
    if not events:
        return None
    noted: Counter[tuple[TagKind, str]] = Counter()
    for one in events.values():
        noted.update(map(_key, one.states, one.tags))
    by_tag: dict[tuple[TagKind, str], list[ScheduledTag]] = {}
    for scheduled in graph.scheduled:
        if scheduled.run in events:
            by_tag.setdefault((scheduled.kind, scheduled.tag), []).append(scheduled)
    names = {
        "alarm": any(one.names_alarms for one in events.values()),
        "job": any(one.names_jobs for one in events.values()),
    }
    works = sum(count for run, count in graph.works.items() if run in events)
    keys = sorted({*noted, *by_tag}, key=lambda key: (-noted[key], key))
    tags = [_checked(key, by_tag.get(key, []), noted[key], names, works) for key in keys]
    shown = tuple(one for one in tags if one.recorded or one.in_history or one.difference)
    return HistoryCheck(shown, len(events), sum(one.unjoined for one in events.values()))


def _key(state: str, tag: str) -> tuple[TagKind, str]:
    if state == "job":
        return "job", job_component(tag)
    return ("wake_up" if tag.startswith(WAKE_UP) else "alarm"), tag


def _checked(
    key: tuple[TagKind, str], scheduled: list[ScheduledTag], noted: int, names: Mapping[str, bool], works: int
) -> CheckedTag:
    kind, tag = key
    received: Counter[str] = Counter()
    for one in scheduled:
        received.update(one.received)
    recorded = received.total()
    is_named = noted > 0 or names["job" if kind == "job" else "alarm"]
    difference = _difference(key, scheduled, recorded, noted if is_named else None, works)
    return CheckedTag(kind, tag, tuple(sorted(received)), recorded, noted if is_named else None, difference)


def _difference(
    key: tuple[TagKind, str], scheduled: list[ScheduledTag], recorded: int, noted: int | None, works: int
) -> Difference:
    kind, tag = key
    if noted is None:
        return ("no_jobs_in_history" if kind == "job" else "no_alarms_in_history") if recorded else ""
    if recorded == noted:
        return ""
    if recorded > noted:
        return "fewer_in_history" if noted else "only_in_recording"
    if any(one.is_listener for one in scheduled):
        return "listener"
    if kind == "job" and tag.endswith(WORK_SERVICE) and works:
        return "work"
    return "fewer_in_recording" if recorded else "only_in_history"

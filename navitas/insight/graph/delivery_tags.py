"""Alarms and jobs of a recording by the tag that batterystats gives them, compared with the history that it kept meanwhile.

Source of the tags: AOSP's Alarm.makeTag, ActivityManagerService.getTagForIntentSender and JobStatus.getBatteryName.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from navitas.energy.attribute.ledger import Ledger, ModuleMessages
from navitas.insight.graph.matching import MatchedMessages
from navitas.insight.graph.module_graph import ModuleGraph, ScheduledTag, TagKind
from navitas.recording.parse.communication_records import NO_TOKEN, CommunicationFlag, CommunicationKind
from navitas.recording.parse.tables import RunTables

K = CommunicationKind
ALARM, WAKE_UP = "*alarm*:", "*walarm*:"
_MAX_METHODS = 3
Difference = Literal[
    "", "no_alarms_in_history", "no_jobs_in_history", "listener", "work", "only_in_history", "fewer_in_recording",
    "only_in_recording", "fewer_in_history",
]  # fmt: skip
"""Empty if both counts are equal."""
WORK_SERVICE = "androidx.work.impl.background.systemjob.SystemJobService"


@dataclass(slots=True)
class _Tag:
    set_count: int = 0
    by_receiver: Counter[str] = field(default_factory=Counter)
    methods: Counter[int] = field(default_factory=Counter)
    is_listener: bool = False


def component(package: str, class_name: str) -> str:
    """Return the short name of a component, as in AOSP's ComponentName.flattenToShortString."""
    is_inside = bool(package) and class_name.startswith(f"{package}.")
    return f"{package}/{class_name[len(package) :] if is_inside else class_name}"


def job_component(tag: str) -> str:
    """Return the component in the tag of a job, which may begin with a namespace and with another app's tag."""
    return tag.rpartition("@")[2].rpartition(":")[2]


def scheduled_tags(
    ledger: Ledger, messages: ModuleMessages, matched: MatchedMessages, modules: Sequence[str], methods: Sequence[int]
) -> tuple[ScheduledTag, ...]:
    """Return the alarms and jobs that were set or received, by run and tag. `modules` and `methods` are those of each row."""
    found: defaultdict[tuple[int, TagKind, str], _Tag] = defaultdict(_Tag)
    kind: list[int] = messages.kind.tolist()
    tags = _Tags(messages, [run.package for run in ledger.runs])
    for row, number in enumerate(kind):
        if number in (K.SET_ALARM, K.SCHEDULE_JOB) and (key := tags.of(row)) is not None:
            one = found[key]
            one.set_count += 1
            one.is_listener |= number == K.SET_ALARM and tags.is_listener(row)
            one.methods[methods[row]] += methods[row] >= 0
        elif number == K.JOB and (key := tags.of(row)) is not None:
            found[key].by_receiver[modules[row]] += 1
    for send, row in matched.pairs:
        if kind[send] == K.SET_ALARM and (key := tags.of(send)) is not None:
            found[key].by_receiver[modules[row]] += 1
    return tuple(_record(ledger, key, one) for key, one in sorted(found.items(), key=lambda each: each[0]))


class _Tags:
    """The tag of each row that sets an alarm, schedules a job or starts one."""

    def __init__(self, messages: ModuleMessages, packages: Sequence[str]) -> None:
        self._packages, self._names = packages, messages.names
        columns = (messages.run, messages.kind, messages.flags, messages.token, messages.module, messages.target, messages.action)
        self._rows = list(zip(*(column.tolist() for column in columns), strict=True))

    def of(self, row: int) -> tuple[int, TagKind, str] | None:
        """Run, kind and tag; None if the recording does not show the tag."""
        run, kind, flags, _, module, target, action = self._rows[row]
        package, class_name = self._packages[run], self._names[target] or (self._names[module] if kind == K.JOB else "")
        if kind != K.SET_ALARM:
            return (run, "job", component(package, class_name)) if class_name else None
        wakes = bool(flags & CommunicationFlag.WAKE_UP)
        named = self._names[action] or (component(package, class_name) if class_name and not self.is_listener(row) else "")
        if not named:
            return None
        return run, "wake_up" if wakes else "alarm", f"{WAKE_UP if wakes else ALARM}{named}"

    def is_listener(self, row: int) -> bool:
        """Whether an alarm is set for a listener: no intent, so no identity, and it does not leave the app."""
        _, _, flags, token, *_ = self._rows[row]
        return token == NO_TOKEN and not flags & CommunicationFlag.LEAVES_APP


def _record(ledger: Ledger, key: tuple[int, TagKind, str], one: _Tag) -> ScheduledTag:
    run, kind, tag = key
    methods = [method for method, count in sorted(one.methods.items(), key=lambda each: (-each[1], each[0])) if count > 0]
    received: Mapping[str, int] = dict(sorted(one.by_receiver.items()))
    return ScheduledTag(ledger.runs[run].id, kind, tag, one.set_count, received, tuple(methods[:_MAX_METHODS]), one.is_listener)


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

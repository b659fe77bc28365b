"""Alarms and jobs of a recording by the tag that batterystats gives them.

Source of the tags: AOSP's Alarm.makeTag, ActivityManagerService.getTagForIntentSender and JobStatus.getBatteryName.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from navitas.attribute.ledger import Ledger, ModuleMessages
from navitas.graph.matching import MatchedMessages
from navitas.graph.module_graph import ScheduledTag, TagKind
from navitas.parse.communication_records import NO_TOKEN, CommunicationFlag, CommunicationKind

K = CommunicationKind
ALARM, WAKE_UP = "*alarm*:", "*walarm*:"
_MAX_METHODS = 3


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

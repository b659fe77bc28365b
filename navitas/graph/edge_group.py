"""The messages of one edge while they are counted: their times, and what they have in common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

from navitas.graph.module_graph import EdgeKind, ModuleEdge, Repetitions

_Key = TypeVar("_Key", int, str)
MAX_ACTIONS, MAX_METHODS = 5, 3


class MessageTimes:
    """Times of messages by run and series. A series is one alarm, job or work that repeats; all others are one series."""

    def __init__(self) -> None:
        self._by_series: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._periods_ms: Counter[int] = Counter()

    def add(self, run: int, t_ns: int, period_ms: int, series: int = 0) -> None:
        """Add a message with the period that the app requested, 0 if it requested none."""
        self._by_series[run, series].append(t_ns)
        self._periods_ms[period_ms] += 1

    def periods_ms(self) -> Counter[int]:
        """The number of messages with each period that the app requested."""
        return Counter({period_ms: count for period_ms, count in self._periods_ms.items() if period_ms})

    def all_ns(self) -> list[int]:
        """The times of all runs."""
        return [t_ns for times in self._by_series.values() for t_ns in times]

    def repeats(self) -> Repetitions:
        """The number of messages, and the mean time between those of a run and series."""
        spans = [(len(times), max(times) - min(times)) for times in self._by_series.values()]
        count, gaps = sum(each for each, _ in spans), sum(each - 1 for each, _ in spans)
        period_ms = next(iter(self._periods_ms)) if len(self._periods_ms) == 1 else 0
        mean_ns = sum(span_ns for _, span_ns in spans) / gaps if gaps else None
        return Repetitions(count, mean_ns, period_ms or None, self._at_once())

    def _at_once(self) -> int:
        """The most series of a run that went on at the same time: a series that replaces another one begins later."""
        ends = [(run, at_ns, is_end) for (run, _), times in self._by_series.items() for is_end, at_ns in enumerate(_span(times))]
        return max(accumulate(-1 if is_end else 1 for _, _, is_end in sorted(ends)), default=1)


@dataclass(slots=True)
class EdgeGroup:
    """The messages of one edge. `exact`, `inexact` and `repeating` are among `every`, as in `ModuleEdge`. `sent` has sends."""

    every: MessageTimes = field(default_factory=MessageTimes)
    exact: MessageTimes = field(default_factory=MessageTimes)
    inexact: MessageTimes = field(default_factory=MessageTimes)
    repeating: MessageTimes = field(default_factory=MessageTimes)
    sent: MessageTimes = field(default_factory=MessageTimes)
    actions: Counter[str] = field(default_factory=Counter)
    methods: Counter[int] = field(default_factory=Counter)
    flags: int = 0

    def edge(self, key: tuple[str, str, EdgeKind], receiver_j: float, received: int) -> ModuleEdge:
        """The edge. `receiver_j` is the receiver's energy, `received` the number of all messages that it received."""
        repeats, times, periods_ms = self.every.repeats(), self.every.all_ns(), self.every.periods_ms()
        actions = _most(self.actions, MAX_ACTIONS)
        return ModuleEdge(
            *key,
            count=repeats.count,
            first_ns=min(times),
            last_ns=max(times),
            mean_period_ns=repeats.mean_period_ns,
            period_ms=next(iter(periods_ms)) if len(periods_ms) == 1 else None,
            flags=self.flags,
            energy_j=receiver_j * repeats.count / max(received, 1),
            actions=actions,
            methods=_most(self.methods, MAX_METHODS),
            exact=self.exact.repeats(),
            inexact=self.inexact.repeats(),
            repeating=self.repeating.repeats(),
            sent=self.sent.repeats(),
            requested=periods_ms.total(),
            action_counts=tuple(self.actions[action] for action in actions),
            other_actions=len(self.actions) - len(actions),
        )


def _span(times: Sequence[int]) -> tuple[int, int]:
    return min(times), max(times)


def _most(counts: Counter[_Key], limit: int) -> tuple[_Key, ...]:
    return tuple(key for key, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:limit])

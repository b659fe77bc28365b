"""What the methods of a recording did that Android vitals count, and what it cost: wake locks, alarms, scans and traffic.

Hooks record the call that acquires a wake lock, not the wake lock's name. The history has the name, with the time. A name belongs
to a call if it is the only one of the app whose wake lock begins at the time of the call. An alarm has the tag that batterystats
prints: the intent's action, or else its component (navitas/insight/graph/delivery_tags.py).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.android.batterystats.keys import STATE_NUMBERS
from navitas.android.batterystats.tables import Integers
from navitas.energy.analyze.load import Loaded
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.component import ComponentInputs
from navitas.energy.attribute.hardware.on_off import sessions_of
from navitas.energy.attribute.measured_runs import MeasuredRuns
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import ModuleGraph, ScheduledTag, TagKind
from navitas.insight.graph.wake_ups import message_costs
from navitas.insight.vitals.dump_use import RunHistory, elapsed_ns
from navitas.recording.parse.hook_calls import NETWORK, HookCalls, HookKind
from navitas.recording.parse.tables import RunTables

WAKE_LOCK, RADIOS = "wakelock", ("wifi", "modem")
"""Components with the energy of wake locks, and of scans and traffic."""
NEAR_NS = 100_000_000
"""A wake lock begins in the history so near its call: times of a history are in ms, and the service notes it after the call."""
_LOCKS = [STATE_NUMBERS["wake_lock_in"], STATE_NUMBERS["wake_lock"]]


class _InSource:
    """Code with a source file and line, as far as they are known."""

    __slots__ = ()
    file: str | None
    line: int | None

    @property
    def place(self) -> str:
        """File and line, as far as they are known."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file or ""


@dataclass(frozen=True, slots=True)
class HookCaller(_InSource):
    """A method that called a hooked API."""

    class_name: str
    method: str
    file: str | None
    line: int | None

    @property
    def name(self) -> str:
        """Class and method."""
        return f"{self.class_name}.{self.method}"


@dataclass(frozen=True, slots=True)
class Acquirer(HookCaller):
    """A method that acquired wake locks: how many times, how long they were held, and their energy.

    `energy_j` is None if the recording has no energy of wake locks. `tags` are the names of its wake locks, as far as the history
    shows them.
    """

    calls: int
    held_ns: int
    energy_j: float | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RadioUser(HookCaller):
    """A method: how many scans of Wi-Fi networks it started, and the bytes that its calls moved.

    `energy_j` is that of the components `RADIOS`, None if the recording has neither.
    """

    scans: int
    network_bytes: int
    energy_j: float | None


@dataclass(frozen=True, slots=True)
class AlarmSetter(_InSource):
    """A method that set alarms. `name` is class and method."""

    name: str
    file: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class RecordedAlarm:
    """The alarms or jobs of one tag in a recording.

    `set_count`: how many times they were set. `count`: how many times a module received one. `energy_j` is the energy of all that
    followed from those receipts; None if there was none, or if it is not determined. `set_in` are the methods that set most.
    """

    kind: TagKind
    tag: str
    set_count: int
    count: int
    energy_j: float | None
    set_in: tuple[AlarmSetter, ...]


def acquirers_of(loaded: Loaded, profile: Profile, histories: Iterable[RunHistory]) -> tuple[Acquirer, ...]:
    """Return the methods that acquired wake locks, largest energy first, over all runs that recorded hooks."""
    by_run = {history.run_id: history for history in histories}
    calls, held_ns = Counter[int](), Counter[int]()
    tags: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for run, hooks, inputs in _hooked_runs(loaded):
        rows = np.flatnonzero((hooks.kind == HookKind.WAKE_LOCK) & ~hooks.is_stop)
        methods = [inputs.api.caller(path) for path in inputs.api.hook_path[rows].tolist()]
        calls.update(methods)
        for method, tag in zip(methods, _tags_at(run, hooks.start_ns[rows], by_run.get(run.run_id)), strict=True):
            tags[method] |= {tag: None} if tag else {}
        sessions = sessions_of(run, inputs, [HookKind.WAKE_LOCK], WAKE_LOCK)
        for path, length_ns in zip(sessions.path.tolist(), (sessions.end_ns - sessions.begin_ns).tolist(), strict=True):
            held_ns[inputs.api.caller(path)] += length_ns
    callers = _callers(loaded, profile, calls, [WAKE_LOCK])
    found = [Acquirer(*caller, calls[row], held_ns[row], energy_j, tuple(tags[row])) for row, caller, energy_j in callers]
    return tuple(sorted(found, key=lambda one: (-(one.energy_j or 0.0), -one.held_ns, one.name)))


def radio_users_of(loaded: Loaded, profile: Profile) -> tuple[RadioUser, ...]:
    """Return the methods that scanned Wi-Fi networks or used the network, largest energy first, over all runs with hooks."""
    scans, moved = Counter[int](), Counter[int]()
    for _, hooks, inputs in _hooked_runs(loaded):
        is_scan = (hooks.kind == HookKind.WIFI_SCAN) & ~hooks.is_stop
        rows = np.flatnonzero(is_scan | np.isin(hooks.kind, NETWORK))
        for row, path in zip(rows.tolist(), inputs.api.hook_path[rows].tolist(), strict=True):
            counter, amount = (scans, 1) if is_scan[row] else (moved, int(hooks.amount[row]))
            counter[inputs.api.caller(path)] += amount
    callers = _callers(loaded, profile, {**scans, **moved}, RADIOS)
    found = [RadioUser(*caller, scans[row], moved[row], energy_j) for row, caller, energy_j in callers]
    return tuple(sorted(found, key=lambda one: (-(one.energy_j or 0.0), -one.network_bytes, -one.scans, one.name)))


def recorded_alarms(profile: Profile) -> tuple[RecordedAlarm, ...]:
    """Return the alarms and jobs of all runs, largest energy first. Empty if the recording has no communications."""
    if profile.ledger.messages is None:
        return ()
    graph = module_graph(profile)
    by_tag: defaultdict[tuple[TagKind, str], list[ScheduledTag]] = defaultdict(list)
    for one in graph.scheduled:
        by_tag[one.kind, one.tag].append(one)
    costs = message_costs(graph)
    found = [_alarm(key, parts, graph, costs) for key, parts in by_tag.items()]
    return tuple(sorted(found, key=lambda one: (-(one.energy_j or 0.0), -one.count, one.tag)))


def _hooked_runs(loaded: Loaded) -> Iterator[tuple[RunTables, HookCalls, ComponentInputs]]:
    measured = MeasuredRuns(loaded.parsed, loaded.manifest, loaded.model, loaded.settings)
    for run in loaded.parsed.runs:
        if run.calls.hooks is not None:
            yield run, run.calls.hooks, measured.inputs(run)


def _callers(
    loaded: Loaded, profile: Profile, rows: Iterable[int], components: Sequence[str]
) -> Iterator[tuple[int, tuple[str, str, str | None, int | None], float | None]]:
    """The fields of each `HookCaller` by its row of the method table, with the joules of its calls. -1 is no method."""
    energy = _api_energy(profile, components)
    for row in rows:
        if row >= 0:
            method = loaded.parsed.method_table.methods[row]
            energy_j = None if energy is None else energy.get(method.id, 0.0)
            yield row, (method.class_name, method.name, method.file, method.line), energy_j


def _api_energy(profile: Profile, components: Sequence[str]) -> Mapping[int, float] | None:
    """Joules of API calls by method: the caller, where the call is a node. None if no component is recorded."""
    known = [name for name in components if name in profile.components]
    if not known:
        return None
    methods = profile.method_table.methods
    found: defaultdict[int, float] = defaultdict(float)
    for tree in (tree for name in known for tree in profile.energy_trees(name)):
        parents, numbers, _, _, self_j, _ = (column.tolist() for column in tree.nodes.columns)
        for node, energy_j in enumerate(self_j):
            place = node
            while place >= 0 and methods[numbers[place]].api_kind:
                place = parents[place]
            if energy_j and place >= 0:
                found[methods[numbers[place]].id] += energy_j
    return dict(found)


def _tags_at(run: RunTables, calls_ns: Integers, history: RunHistory | None) -> list[str]:
    """Return the name of the wake lock of each call; empty if it is unknown, or one of several."""
    if history is None or not history.is_joined or history.uid < 0:
        return [""] * len(calls_ns)
    states = history.states
    states = states.rows(np.isin(states.state, _LOCKS) & (states.uid == history.uid) & (states.tag > 0))
    at_ns = history.span_ns[0] + elapsed_ns(run, calls_ns)
    low = np.searchsorted(states.start_ns, at_ns - NEAR_NS, side="left")
    high = np.searchsorted(states.start_ns, at_ns + NEAR_NS, side="right")
    near = [{history.tags[tag] for tag in states.tag[begin:end].tolist()} for begin, end in zip(low, high, strict=True)]
    return [next(iter(names)) if len(names) == 1 else "" for names in near]


def _alarm(
    key: tuple[TagKind, str], parts: list[ScheduledTag], graph: ModuleGraph, costs: dict[str, float | None]
) -> RecordedAlarm:
    received = [(costs.get(module), count) for part in parts for module, count in part.received.items()]
    known = [cost * count for cost, count in received if cost is not None]
    methods = dict.fromkeys(method for part in parts for method in part.methods)
    return RecordedAlarm(
        *key,
        set_count=sum(part.set_count for part in parts),
        count=sum(count for _, count in received),
        energy_j=sum(known) if received and len(known) == len(received) else None,
        set_in=tuple(AlarmSetter(*graph.places[method]) for method in methods),
    )

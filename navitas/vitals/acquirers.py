"""The methods of a recording that acquired wake locks, with the energy that these cost, and the names of their wake locks.

Hooks record the call that acquires a wake lock, not the wake lock's name. The history has the name, with the time. A name belongs
to a call if it is the only one of the app whose wake lock begins at the time of the call.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from navitas.analyze.load import Loaded
from navitas.analyze.profile import Profile
from navitas.attribute.component import ComponentInputs
from navitas.attribute.hardware.sessions import sessions_of
from navitas.attribute.measured_runs import MeasuredRuns
from navitas.batterystats.keys import STATE_NUMBERS
from navitas.batterystats.tables import Integers
from navitas.parse.hook_calls import HookKind
from navitas.parse.tables import Method, RunTables
from navitas.vitals.method_energy import api_energy
from navitas.vitals.run_history import RunHistory, elapsed_ns

COMPONENT = "wakelock"
NEAR_NS = 100_000_000
"""A wake lock begins in the history so near its call: times of a history are in ms, and the service notes it after the call."""
_LOCKS = [STATE_NUMBERS["wake_lock_in"], STATE_NUMBERS["wake_lock"]]


@dataclass(frozen=True, slots=True)
class Acquirer:
    """A method that acquired wake locks: how many times, how long they were held, and their energy.

    `energy_j` is None if the recording has no energy of wake locks. `tags` are the names of its wake locks, as far as the history
    shows them.
    """

    class_name: str
    method: str
    file: str | None
    line: int | None
    calls: int
    held_ns: int
    energy_j: float | None
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        """Class and method."""
        return f"{self.class_name}.{self.method}"

    @property
    def place(self) -> str:
        """File and line, as far as they are known."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file or ""


def acquirers_of(loaded: Loaded, profile: Profile, histories: Iterable[RunHistory]) -> tuple[Acquirer, ...]:
    """Return the methods that acquired wake locks, largest energy first, over all runs that recorded hooks."""
    measured = MeasuredRuns(loaded.parsed, loaded.manifest, loaded.model, None, use_rails=True)
    by_run = {history.run_id: history for history in histories}
    calls: Counter[int] = Counter()
    held_ns: Counter[int] = Counter()
    tags: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for run in loaded.parsed.runs:
        if run.calls.hooks is None:
            continue
        inputs = measured.inputs(run)
        rows = np.flatnonzero((run.calls.hooks.kind == HookKind.WAKE_LOCK) & ~run.calls.hooks.is_stop)
        methods = [inputs.api.caller(path) for path in inputs.api.hook_path[rows].tolist()]
        calls.update(methods)
        for method, tag in zip(methods, _tags_at(run, run.calls.hooks.start_ns[rows], by_run.get(run.run_id)), strict=True):
            tags[method] |= {tag: None} if tag else {}
        held_ns.update(_held(run, inputs))
    energy = api_energy(profile, [COMPONENT])
    table = loaded.parsed.method_table.methods
    found = [
        _acquirer(table[method], calls[method], held_ns[method], energy, tuple(tags[method])) for method in calls if method >= 0
    ]
    return tuple(sorted(found, key=lambda one: (-(one.energy_j or 0.0), -one.held_ns, one.name)))


def _acquirer(method: Method, calls: int, held_ns: int, energy: Mapping[int, float] | None, tags: tuple[str, ...]) -> Acquirer:
    joules = None if energy is None else energy.get(method.id, 0.0)
    return Acquirer(method.class_name, method.name, method.file, method.line, calls, held_ns, joules, tags)


def _held(run: RunTables, inputs: ComponentInputs) -> Counter[int]:
    sessions = sessions_of(run, inputs, [HookKind.WAKE_LOCK], COMPONENT)
    found: Counter[int] = Counter()
    for path, length_ns in zip(sessions.path.tolist(), (sessions.end_ns - sessions.begin_ns).tolist(), strict=True):
        found[inputs.api.caller(path)] += length_ns
    return found


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

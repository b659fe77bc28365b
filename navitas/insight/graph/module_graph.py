"""The records of the graph: modules with their energy, and the communications between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

OUTSIDE_MODULES = "(outside modules)"
"""The node of energy and messages of the app that belong to no module."""
SYSTEM = "(Android system)"
"""The sender of broadcasts that only Android can send."""
NO_CLASS = frozenset({OUTSIDE_MODULES, SYSTEM})
"""Nodes that are no class of the app."""


def class_name(name: str) -> str:
    """Return the name of a class as a graph has it. A class cannot have the name of a node that is no class."""
    return f"class {name}" if name.endswith(tuple(NO_CLASS)) else name


class EdgeKind(Enum):
    """How one module communicates with another."""

    NORMAL = "normal"
    PERIODIC = "periodic"
    """By an alarm, a job or work."""
    BROADCAST = "broadcast"
    SYSTEM_BROADCAST = "system_broadcast"
    BIND = "bind"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class Repetitions:
    """A number of messages, and the mean time between those of a run, None if no run has two.

    `period_ms` is the period that the app requested for all of them, None if it requested none, or several. Of alarms, jobs and
    work that are set to repeat, the mean time is that of each one, and `at_once` is how many went on at the same time.
    """

    count: int = 0
    mean_period_ns: float | None = None
    period_ms: int | None = None
    at_once: int = 1


@dataclass(frozen=True, slots=True)
class ModuleNode:
    """A module with its energy in joules and by component, all runs together.

    `handed_j` is the part of `energy_j` that work used which the module handed to other threads. `busy_ns` is the time in calls
    and in handed work. `received` is the number of messages that it received, matched or not. No message names a fragment.
    """

    name: str
    energy_j: float
    components: tuple[float, ...]
    handed_j: float = 0.0
    busy_ns: int = 0
    received: int = 0
    is_fragment: bool = False


@dataclass(frozen=True, slots=True)
class ModuleEdge:
    """Messages of one kind from one module to another.

    - `count`: messages received. `first_ns` and `last_ns` are times of CLOCK_BOOTTIME.
    - `mean_period_ns`: mean time between messages of a run, None if no run has two.
    - `period_ms`: the period that the app requested, None if it requested none, or several. `requested` messages have one.
    - `flags`: `CommunicationFlag` bits of all its messages.
    - `energy_j`: the receiver's energy × `count` / all messages that it received.
    - `actions`: the actions that occurred most, at most `MAX_ACTIONS`. `action_counts` are their numbers of messages, and
      `other_actions` is the number of actions that are left out.
    - `methods`: the methods that sent most of them, indexes in `Profile.method_table.methods`.
    - `exact`: the messages of exact alarms. `inexact`: those of other alarms, jobs and work, and `repeating` the ones among them
      that the app set to repeat.
    - `sent`: the app's broadcasts by the times of their sends. A busy receiver gets them late.
    """

    sender: str
    receiver: str
    kind: EdgeKind
    count: int
    first_ns: int
    last_ns: int
    mean_period_ns: float | None
    period_ms: int | None
    flags: int
    energy_j: float
    actions: tuple[str, ...] = ()
    methods: tuple[int, ...] = ()
    exact: Repetitions = Repetitions()
    inexact: Repetitions = Repetitions()
    repeating: Repetitions = Repetitions()
    sent: Repetitions = Repetitions()
    requested: int = 0
    action_counts: tuple[int, ...] = ()
    other_actions: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """Sender, receiver and kind. No two edges of a graph have the same."""
        return self.sender, self.receiver, self.kind.value


@dataclass(frozen=True, slots=True)
class UnmatchedMessages:
    """Messages without a known partner: `module` sent or received them, and `kind` is a `CommunicationKind` in lower case.

    Reasons: `leaves_app`, `not_received`, `no_identity`, `sender_unknown`, `already_received`, `unknown_kind`.
    """

    module: str
    kind: str
    action: str
    reason: str
    count: int


TagKind = Literal["alarm", "wake_up", "job"]


@dataclass(frozen=True, slots=True)
class ScheduledTag:
    """The alarms or jobs of one tag in one run. `tag` is the name that batterystats gives them, and `run` the run's ID.

    `set_count`: how many times they were set. `received`: how many times each module received them. `methods` set most of them.
    `is_listener`: an alarm for a listener, which is no module.
    """

    run: int
    kind: TagKind
    tag: str
    set_count: int
    received: Mapping[str, int]
    methods: tuple[int, ...] = ()
    is_listener: bool = False


@dataclass(frozen=True, slots=True)
class BaseClass:
    """Calls of a base class of several modules, or of a class nested in it: `energy_j` can belong to any of `heirs`.

    It is in `ModuleGraph.outside`.
    """

    name: str
    heirs: tuple[str, ...]
    energy_j: float


@dataclass(frozen=True, slots=True)
class ModuleGraph:
    """The modules of a recording, the messages between them, and messages without a known partner.

    Nodes are sorted by energy, largest first. Their energies and that of `outside` add up to `energy_j`, the energy of the app's
    threads. `run_ns` is the time of all runs with sleep, and `runs` their number. Runs without probes do not count.
    """

    project: str
    components: tuple[str, ...]
    nodes: tuple[ModuleNode, ...]
    outside: ModuleNode
    edges: tuple[ModuleEdge, ...]
    unmatched: tuple[UnmatchedMessages, ...]
    energy_j: float
    run_ns: int
    runs: int
    places: Mapping[int, tuple[str, str | None, int | None]] = field(default_factory=dict)
    """The label, source file and line of each method in `ModuleEdge.methods` and `ScheduledTag.methods`."""
    scheduled: tuple[ScheduledTag, ...] = ()
    """Alarms and jobs by run and tag."""
    works: Mapping[int, int] = field(default_factory=dict)
    """The number of works of WorkManager that each run (by ID) received."""
    processes: int = 1
    """The largest number of processes that sent or received messages in one run."""
    bases: tuple[BaseClass, ...] = ()

    @property
    def by_name(self) -> dict[str, ModuleNode]:
        return {node.name: node for node in self.nodes}

"""Build the graph of a recording's modules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence, Set

import numpy as np

from navitas.base.errors import RecordingError
from navitas.energy.analyze.handed_work import starting_methods
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import Ledger, ModuleMessages, counted_runs
from navitas.insight.graph.delivery_tags import scheduled_tags
from navitas.insight.graph.edges import grouped
from navitas.insight.graph.matching import match
from navitas.insight.graph.module_energy import module_energies, starting_modules
from navitas.insight.graph.module_graph import OUTSIDE_MODULES, BaseClass, ModuleGraph, ModuleNode, class_name
from navitas.insight.graph.module_paths import NO_MODULE, ModulePaths, module_paths
from navitas.recording.parse.communication_records import FIRST_RECEIVE, CommunicationKind


def module_graph(profile: Profile) -> ModuleGraph:
    """Return the modules of a recording, their energy, and the communications between them.

    Raises `RecordingError` if the recording has no communications.
    """
    ledger = profile.ledger
    if ledger.messages is None:
        raise RecordingError("the recording has no communications between modules", "Record again with --record hooks.")
    messages = _counted(ledger, ledger.messages)
    paths = module_paths(ledger, messages)
    energies = module_energies(ledger, paths)
    modules, callers = modules_of_messages(messages, paths), callers_of_providers(ledger, messages, paths)
    matched = match(messages, [run.target_sdk for run in ledger.runs])
    methods: list[int] = starting_methods(ledger, messages.path).tolist()
    found = grouped(messages, matched, modules, callers, methods, running=running_classes(ledger))
    scheduled = scheduled_tags(ledger, messages, matched, modules, methods)
    by_module = energies.energy_j.sum(axis=1).tolist()
    nodes = [
        ModuleNode(
            name=name,
            energy_j=by_module[i],
            components=tuple(energies.energy_j[i].tolist()),
            handed_j=float(energies.handed_j[i].sum()),
            busy_ns=int(energies.busy_ns[i]),
            received=found.received.get(name, 0),
            is_fragment=name in paths.fragments,
        )
        for i, name in enumerate(paths.modules)
    ]
    edges = found.edges({node.name: node.energy_j for node in nodes})
    named = {method for edge in edges for method in edge.methods} | {method for one in scheduled for method in one.methods}
    placed = {number: ledger.methods.methods[number] for number in named}
    outside = tuple(energies.outside_j.tolist())
    counted = [run for run in ledger.runs if not run.baseline]
    return ModuleGraph(
        project=profile.project,
        components=profile.components,
        nodes=tuple(sorted(nodes, key=lambda node: (-node.energy_j, node.name))),
        outside=ModuleNode(OUTSIDE_MODULES, sum(outside), outside, received=found.received.get(OUTSIDE_MODULES, 0)),
        edges=edges,
        unmatched=found.unmatched,
        energy_j=float(energies.total_j.sum()),
        run_ns=sum(run.end_ns - run.start_ns + run.slept_ns for run in counted),
        runs=len(counted),
        places={number: (f"{one.class_name}.{one.name}", one.file, one.line) for number, one in placed.items()},
        scheduled=scheduled,
        bases=base_classes(ledger, paths),
        processes=max(
            Counter(run for run, _ in {*zip(messages.run.tolist(), messages.process.tolist(), strict=True)}).values(), default=1
        ),
        works=Counter(ledger.runs[run].id for run in messages.run[messages.kind == CommunicationKind.WORK].tolist()),
    )


def _counted(ledger: Ledger, messages: ModuleMessages) -> ModuleMessages:
    """The messages of runs with probes, with the names that a graph has for classes."""
    rows = np.flatnonzero(counted_runs(ledger)[messages.run])
    columns = (name for name in ModuleMessages.__slots__ if name != "names")
    return ModuleMessages(
        **{name: getattr(messages, name)[rows] for name in columns}, names=tuple(map(class_name, messages.names))
    )


def base_classes(ledger: Ledger, paths: ModulePaths) -> tuple[BaseClass, ...]:
    """Return the base classes whose calls can belong to several modules, largest energy first. Handed work is left out."""
    if not paths.heirs:
        return ()
    energy = ledger.energy
    counted = counted_runs(ledger)[ledger.owners.run]
    counted &= ledger.owners.kind == OwnerKind.THREAD
    rows = counted[energy.owner] & ~paths.may_be_task[energy.path]
    by_entry = binned(paths.entry[energy.path[rows]], energy.exclusive_j[rows], len(paths.entry))
    found: defaultdict[tuple[str, tuple[str, ...]], float] = defaultdict(float)
    for entry, heirs in paths.heirs.items():
        name = ledger.methods.methods[int(ledger.paths.method[entry])].class_name
        found[name, tuple(sorted(heirs))] += float(by_entry[entry])
    classes = [BaseClass(name, heirs, energy_j) for (name, heirs), energy_j in found.items() if energy_j > 0]
    return tuple(sorted(classes, key=lambda one: (-one.energy_j, one.name)))


def modules_of_messages(messages: ModuleMessages, paths: ModulePaths) -> Sequence[str]:
    """The module of each row.

    A receipt names its module. A send belongs to the module in whose callback it was made, also if that used the context of
    another one, as a receiver that an activity registered. Outside of callbacks, it belongs to the module that its context is;
    else to that of its call path, or of the work in which it ran. In a base class of several modules, it belongs to the one that
    its context is; else to the one that received a message last.
    """
    by_path = starting_modules(paths, messages.path, messages.root).tolist()
    named = [messages.names[number] for number in messages.module.tolist()]
    columns = (messages.kind.tolist(), messages.path.tolist(), messages.root.tolist(), named, by_path)
    latest, found = _Latest(messages), []
    for row, (kind, path, root, name, module) in enumerate(zip(*columns, strict=True)):
        is_send = kind < FIRST_RECEIVE
        heirs = paths.heirs_of(path) or (paths.heirs_of(root) if module == NO_MODULE else frozenset())
        if is_send and heirs and name not in heirs and (paths.in_callback[path] or not name):
            found.append(latest.of(row, heirs))
        elif is_send and paths.in_callback[path] and not heirs:
            found.append(paths.modules[paths.module[path]])
        else:
            found.append(name or (OUTSIDE_MODULES if module == NO_MODULE else paths.modules[module]))
        if not is_send:
            latest.add(row, name)
    return found


def callers_of_providers(ledger: Ledger, messages: ModuleMessages, paths: ModulePaths) -> Sequence[str]:
    """The module whose call reached a provider of the app by way of Android's code, which has no hooks; empty for other rows.

    A provider in the same process runs on the caller's thread, so the call of the module encloses it.
    """
    latest, found = _Latest(messages), []
    named = [messages.names[number] for number in messages.module.tolist()]
    for row, (kind, path) in enumerate(zip(messages.kind.tolist(), messages.path.tolist(), strict=True)):
        outer = int(ledger.paths.parent[path]) if kind == CommunicationKind.PROVIDER and path > PROBES else OUTSIDE
        module = int(paths.module[outer]) if outer > PROBES else NO_MODULE
        if module == NO_MODULE:
            heirs = paths.heirs_of(outer)
            found.append(latest.of(row, heirs) if heirs else "")
        else:
            found.append(paths.modules[module])
        if kind >= FIRST_RECEIVE:
            latest.add(row, named[row])
    return found


class _Latest:
    """The modules of each process in the order in which they received their last message so far."""

    def __init__(self, messages: ModuleMessages) -> None:
        self._process = list(zip(messages.run.tolist(), messages.process.tolist(), strict=True))
        self._order: defaultdict[tuple[int, int], dict[str, None]] = defaultdict(dict)

    def add(self, row: int, module: str) -> None:
        order = self._order[self._process[row]]
        order.pop(module, None)
        order[module] = None

    def of(self, row: int, modules: Set[str]) -> str:
        """The one of `modules` that received a message last, `OUTSIDE_MODULES` if none did."""
        order = self._order[self._process[row]]
        return next((name for name in reversed(order) if name in modules), OUTSIDE_MODULES)


def running_classes(ledger: Ledger) -> set[tuple[int, str]]:
    """Runs and classes of which they have calls."""
    of_call = np.stack([ledger.owners.run[ledger.calls.owner], ledger.paths.method[ledger.calls.path]])
    of_call = np.unique(of_call[:, ledger.calls.path > PROBES], axis=1)
    return {(run, ledger.methods.methods[method].class_name) for run, method in of_call.T.tolist()}

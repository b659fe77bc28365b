"""Build the graph of a recording's modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from navitas.analyze.handed_work import starting_methods
from navitas.analyze.profile import Profile
from navitas.attribute.ledger import Ledger, ModuleMessages, counted_runs
from navitas.errors import RecordingError
from navitas.graph.base_energy import base_classes
from navitas.graph.delivery_tags import scheduled_tags
from navitas.graph.edges import grouped
from navitas.graph.matching import match
from navitas.graph.message_modules import callers_of_providers, modules_of_messages, running_classes
from navitas.graph.module_energy import module_energies
from navitas.graph.module_graph import OUTSIDE_MODULES, ModuleGraph, ModuleNode, class_name
from navitas.graph.module_paths import module_paths
from navitas.parse.communication_records import CommunicationKind
from navitas.parse.tables import Method


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
    matched, methods = match(messages, [run.target_sdk for run in ledger.runs]), _sending_methods(ledger, messages)
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
        places={method: _place(ledger.methods.methods[method]) for method in named},
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


def _sending_methods(ledger: Ledger, messages: ModuleMessages) -> Sequence[int]:
    found: list[int] = starting_methods(ledger, messages.path).tolist()
    return found


def _place(method: Method) -> tuple[str, str | None, int | None]:
    return f"{method.class_name}.{method.name}", method.file, method.line

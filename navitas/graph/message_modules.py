"""The module that sent or received each message."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.ledger import OUTSIDE, PROBES, Ledger, ModuleMessages
from navitas.graph.module_energy import starting_modules
from navitas.graph.module_graph import OUTSIDE_MODULES
from navitas.graph.module_paths import NO_MODULE, ModulePaths
from navitas.parse.communication_records import FIRST_RECEIVE, CommunicationKind


def modules_of_messages(ledger: Ledger, messages: ModuleMessages, paths: ModulePaths) -> Sequence[str]:
    """The module of each row.

    A receipt names its module. A send belongs to the module in whose callback it was made, also if that used the context of
    another one, as a receiver that an activity registered. Outside of callbacks, it belongs to the module that its context is;
    else to that of its call path, or of the work in which it ran.
    """
    by_path = starting_modules(paths, messages.path, messages.root).tolist()
    named = [messages.names[number] for number in messages.module.tolist()]
    heirs = _heirs(ledger, messages)
    columns = (messages.kind.tolist(), messages.path.tolist(), named, by_path)
    found = []
    for kind, path, name, module in zip(*columns, strict=True):
        called = paths.modules[paths.module[path]] if kind < FIRST_RECEIVE and paths.in_callback[path] else ""
        if called and (called, name) not in heirs:
            found.append(called)
        else:
            found.append(name or (OUTSIDE_MODULES if module == NO_MODULE else paths.modules[module]))
    return found


def callers_of_providers(ledger: Ledger, messages: ModuleMessages, paths: ModulePaths) -> Sequence[str]:
    """The module whose call reached a provider of the app by way of Android's code, which has no hooks; empty for other rows.

    A provider in the same process runs on the caller's thread, so the call of the module encloses it.
    """
    found = []
    for kind, path in zip(messages.kind.tolist(), messages.path.tolist(), strict=True):
        outer = int(ledger.paths.parent[path]) if kind == CommunicationKind.PROVIDER and path > PROBES else OUTSIDE
        module = int(paths.module[outer]) if outer > PROBES else NO_MODULE
        found.append("" if module == NO_MODULE else paths.modules[module])
    return found


def running_classes(ledger: Ledger) -> set[tuple[int, str]]:
    """Runs and classes of which they have calls."""
    of_call = np.stack([ledger.owners.run[ledger.calls.owner], ledger.paths.method[ledger.calls.path]])
    of_call = np.unique(of_call[:, ledger.calls.path > PROBES], axis=1)
    return {(run, ledger.methods.methods[method].class_name) for run, method in of_call.T.tolist()}


def _heirs(ledger: Ledger, messages: ModuleMessages) -> set[tuple[str, str]]:
    """Classes and the modules that received messages in their code, which these modules inherit."""
    rows = zip(messages.kind.tolist(), messages.path.tolist(), messages.module.tolist(), strict=True)
    received = [(path, messages.names[name]) for kind, path, name in rows if kind >= FIRST_RECEIVE and path > PROBES]
    methods, of_path = ledger.methods.methods, ledger.paths.method.tolist()
    return {(methods[of_path[path]].class_name, name) for path, name in received if methods[of_path[path]].class_name != name}

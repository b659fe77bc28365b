"""The module that sent or received each message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set

import numpy as np

from navitas.attribute.calls.paths import OUTSIDE, PROBES
from navitas.attribute.ledger import Ledger, ModuleMessages
from navitas.graph.module_energy import starting_modules
from navitas.graph.module_graph import OUTSIDE_MODULES
from navitas.graph.module_paths import NO_MODULE, ModulePaths
from navitas.parse.communication_records import FIRST_RECEIVE, CommunicationKind


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
        """Add a receipt."""
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

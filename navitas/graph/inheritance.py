"""Which modules inherit the code of a class: heirs are known by their receipts and by their super calls.

A recording does not have the classes' hierarchy. A module that receives a message in the callback of another class inherits it.
So does a module whose callback directly contains the same callback of another class, which is a call of `super`, unless that
class receives a message of its own there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Mapping, Set
from dataclasses import dataclass

import numpy as np

from navitas.attribute.calls.paths import PROBES
from navitas.attribute.ledger import Ledger, ModuleMessages
from navitas.graph.callbacks import CALLBACKS
from navitas.parse.arrays import Bool
from navitas.parse.communication_records import FIRST_RECEIVE, CommunicationKind

K = CommunicationKind
_RECEIVES = {
    int(kind): frozenset(names.split())
    for kind, names in {
        K.ACTIVITY_INTENT: "onCreate onNewIntent",
        K.ACTIVITY_RESULT: "onActivityResult",
        K.SERVICE_START: "onStartCommand onStart",
        K.SERVICE_BIND: "onBind",
        K.RECEIVE: "onReceive",
        K.JOB: "onStartJob",
        K.WORK: "doWork startWork",
        K.PROVIDER: "query insert update delete call",
        K.SERVICE_DESTROYED: "onDestroy",
    }.items()
}
"""The callbacks that record each kind of receipt. A receipt in another one is that of a class without probes, which it called."""


@dataclass(frozen=True, slots=True)
class Inheritance:
    """`heirs` are the modules that inherit each class. `is_super`: the path is a call of `super` in the same callback.

    `received_at` are the modules that received messages in each path.
    """

    heirs: Mapping[str, Set[str]]
    is_super: Bool
    received_at: Mapping[int, Set[str]]


def inheritance(ledger: Ledger, messages: ModuleMessages, modules: Collection[str], fragments: Container[str]) -> Inheritance:
    """Find the heirs of all classes. `modules` are those that messages name, `fragments` the classes of fragments."""
    methods, of_path = ledger.methods.methods, ledger.paths.method.tolist()
    received_at: defaultdict[int, set[str]] = defaultdict(set)
    rows = np.flatnonzero((messages.kind >= FIRST_RECEIVE) & (messages.path > PROBES) & (messages.module > 0))
    columns = (messages.path[rows].tolist(), messages.kind[rows].tolist(), messages.module[rows].tolist())
    for path, kind, name in zip(*columns, strict=True):
        called = methods[of_path[path]]
        if called.class_name not in modules or called.name in _RECEIVES.get(kind, ()):
            received_at[path].add(messages.names[name])
    below: defaultdict[str, set[str]] = defaultdict(set)
    for path, names in received_at.items():
        called = methods[of_path[path]]
        if called.name in CALLBACKS:
            below[called.class_name] |= names - {called.class_name}
    is_super = _super_calls(ledger, received_at, fragments)
    for path in np.flatnonzero(is_super).tolist():
        below[methods[of_path[path]].class_name].add(methods[of_path[int(ledger.paths.parent[path])]].class_name)
    every = {name: _all_below(name, below).intersection(modules) - {name} for name in below}
    heirs = {name: found for name, found in every.items() if found}
    for path in np.flatnonzero(is_super).tolist():
        caller = methods[of_path[int(ledger.paths.parent[path])]].class_name
        is_super[path] = caller in modules or caller in heirs
    return Inheritance(heirs, is_super, received_at)


def _super_calls(ledger: Ledger, received_at: Mapping[int, Set[str]], fragments: Container[str]) -> Bool:
    """Paths of a callback directly below the same callback of another class. Android calls fragments there, too."""
    methods, parent, method = ledger.methods.methods, ledger.paths.parent, ledger.paths.method
    numbers: dict[tuple[str, str], int] = {}
    callback = np.array(
        [numbers.setdefault((each.name, each.descriptor), len(numbers)) if each.name in CALLBACKS else -1 for each in methods]
        or [-1]
    )
    inner = np.flatnonzero((np.arange(len(parent)) > PROBES) & (parent > PROBES))
    inner = inner[(callback[method[inner]] >= 0) & (callback[method[inner]] == callback[method[parent[inner]]])]
    is_super = np.zeros(len(parent), bool)
    pairs = {path: (methods[method[path]].class_name, methods[method[parent[path]]].class_name) for path in inner.tolist()}
    own = {pair for path, pair in pairs.items() if pair[0] in received_at.get(path, ())}
    for path, pair in pairs.items():
        is_super[path] = pair[0] != pair[1] and pair not in own and pair[0] not in fragments
    return is_super


def _all_below(name: str, below: Mapping[str, Set[str]]) -> set[str]:
    found, waiting = set[str](), [name]
    while waiting:
        new = below.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found

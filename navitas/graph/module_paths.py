"""The module of each call path: the innermost callback of a module in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from navitas.attribute.calls.paths import OUTSIDE, PROBES
from navitas.attribute.ledger import Ledger, ModuleMessages
from navitas.graph.callbacks import CALLBACKS, may_be_task
from navitas.graph.fragments import classes_of_fragments, enclosing_class, fragment_modules
from navitas.graph.inheritance import Inheritance, inheritance
from navitas.parse.arrays import I64, Bool
from navitas.parse.tables import Method

NO_MODULE = -1
_SEVERAL = -2


@dataclass(frozen=True, slots=True)
class ModulePaths:
    """The module of each call path, an index in `modules` or `NO_MODULE`.

    `may_be_task`: the path is below an outermost call of the module's own code that can be work which another module handed over.
    `in_callback`: the path is below a callback of the module. `fragments` are those of `modules` that are fragments.
    `entry` is the call that decides on the module, `OUTSIDE` if there is none. `heirs` are the modules that an entry can belong
    to, if they are several: its class is a base class of these modules.
    """

    modules: tuple[str, ...]
    module: I64
    may_be_task: Bool
    in_callback: Bool
    entry: I64
    fragments: frozenset[str] = frozenset()
    heirs: Mapping[int, Set[str]] = field(default_factory=dict)

    def heirs_of(self, path: int) -> Set[str]:
        """The modules that a path can belong to, if they are several."""
        return self.heirs.get(int(self.entry[path]), frozenset())


def modules_of(messages: ModuleMessages) -> tuple[str, ...]:
    """The classes that the communications name as sender, receiver or target, sorted."""
    named = np.unique(np.concatenate([messages.module, messages.target]))
    return tuple(sorted(messages.names[number] for number in named.tolist() if messages.names[number]))


def module_paths(ledger: Ledger, messages: ModuleMessages) -> ModulePaths:
    """Find the module of each call path of a ledger.

    A call is an entry to a module if it is a callback of the module's class, or of a base class of it, but not a call of `super`
    in the module's own callback. An outermost call of another method of the class, or of a class nested in it, is an entry, too,
    because the app does not call it. Fragments have only such outermost entries: what runs within an activity's callback belongs
    to the activity.
    """
    modules = modules_of(messages)
    number = {name: i for i, name in enumerate(modules)}
    of_fragments = classes_of_fragments(ledger)
    inherited = inheritance(ledger, messages, number, of_fragments)
    fragments = fragment_modules(ledger, of_fragments, {*number, *inherited.heirs})
    every = (*modules, *fragments)
    users = _Users(ledger.methods.methods, {name: i for i, name in enumerate(every)}, inherited)
    parent, method = ledger.paths.parent, ledger.paths.method
    size = max(len(ledger.methods.methods), 1)
    of_method, is_callback, is_task = (np.zeros(size, kind) for kind in (np.int64, bool, bool))
    for i, each in enumerate(ledger.methods.methods):
        of_method[i] = users.number(each)
        is_callback[i] = (each.class_name in number or each.class_name in inherited.heirs) and each.name in CALLBACKS
        is_task[i] = may_be_task(each.name)
    in_calls = np.arange(len(parent)) > PROBES
    last = np.where(in_calls, method, 0)
    of_path, outermost = of_method[last], parent == OUTSIDE
    for path, names in inherited.received_at.items():
        of_path[path] = users.number(ledger.methods.methods[last[path]], names)
    certain = in_calls & is_callback[last] & ~inherited.is_super & (outermost | (of_path != _SEVERAL))
    entry = _nearest(parent, certain | (in_calls & outermost & (of_path != NO_MODULE)))
    has_entry = entry > PROBES
    module, open_task, in_callback = np.full(len(parent), NO_MODULE), *np.zeros((2, len(parent)), bool)
    module[has_entry] = np.where(of_path == _SEVERAL, NO_MODULE, of_path)[entry[has_entry]]
    open_task[has_entry] = (is_task[last] & ~certain)[entry[has_entry]]
    in_callback[has_entry] = certain[entry[has_entry]]
    several = np.unique(entry[has_entry & (of_path[entry] == _SEVERAL)]).tolist()
    heirs = {path: users.of(ledger.methods.methods[last[path]], inherited.received_at.get(path, ())) for path in several}
    return ModulePaths(every, module, open_task, in_callback, entry, frozenset(fragments), heirs)


class _Users:
    """The modules that an outermost call of a method, or a callback, can belong to."""

    def __init__(self, methods: Sequence[Method], number: Mapping[str, int], inherited: Inheritance) -> None:
        self._number, self._heirs = number, inherited.heirs
        self._known = {*number, *inherited.heirs}
        self._declared = {(each.class_name, each.name, each.descriptor) for each in methods}

    def number(self, method: Method, received: Collection[str] = ()) -> int:
        """The number of the only one, `_SEVERAL`, or `NO_MODULE`."""
        users = self.of(method, received)
        return self._number[next(iter(users))] if len(users) == 1 else _SEVERAL if users else NO_MODULE

    def of(self, method: Method, received: Collection[str] = ()) -> Set[str]:
        """All of them. `received` are the modules that received messages in the call: it belongs to one of these.

        An object whose class overrides the method would have run its own one instead.
        """
        owner = enclosing_class(method.class_name, self._known)
        if owner is None:
            return frozenset()
        own = {owner} & self._number.keys()
        users = own | self._heirs.get(owner, set())
        if owner == method.class_name:
            overriding = {name for name in users - own if (name, method.name, method.descriptor) in self._declared}
            users = users - overriding or users
        return users & set(received) or users


def _nearest(parent: I64, marked: Bool) -> I64:
    """The innermost marked path among each path and its callers, `OUTSIDE` if there is none."""
    here = np.arange(len(parent))
    above = np.where(marked | (here <= PROBES), here, np.maximum(parent, OUTSIDE))
    for _ in range(len(parent).bit_length()):  # Each pass doubles the length of the steps.
        further = above[above]
        if (further == above).all():
            break
        above = further
    return np.where(above == PROBES, OUTSIDE, above)

"""The module of each call path: the innermost callback of a module in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.ledger import OUTSIDE, PROBES, Ledger, ModuleMessages
from navitas.graph.callbacks import CALLBACKS, may_be_task
from navitas.graph.fragments import enclosing_class, fragment_classes
from navitas.parse.arrays import I64, Bool
from navitas.parse.communication_records import FIRST_RECEIVE

NO_MODULE = -1


@dataclass(frozen=True, slots=True)
class ModulePaths:
    """The module of each call path, an index in `modules` or `NO_MODULE`.

    `may_be_task`: the path is below an outermost call of the module's own code that can be work which another module handed over.
    `in_callback`: the path is below a callback of the module. `fragments` are those of `modules` that are fragments.
    """

    modules: tuple[str, ...]
    module: I64
    may_be_task: Bool
    in_callback: Bool
    fragments: frozenset[str] = frozenset()


def modules_of(messages: ModuleMessages) -> tuple[str, ...]:
    """The classes that the communications name as sender, receiver or target, sorted."""
    named = np.unique(np.concatenate([messages.module, messages.target]))
    return tuple(sorted(messages.names[number] for number in named.tolist() if messages.names[number]))


def module_paths(ledger: Ledger, messages: ModuleMessages) -> ModulePaths:
    """Find the module of each call path of a ledger.

    A call is an entry to a module if it is a callback of the module's class, or of a base class that only this module uses. An
    outermost call of another method of the class, or of a class nested in it, is an entry, too, because the app does not call it.
    Fragments have only such outermost entries: what runs within an activity's callback belongs to the activity.
    """
    modules = modules_of(messages)
    number = {name: i for i, name in enumerate(modules)}
    number |= _base_classes(ledger, messages, number)
    fragments = fragment_classes(ledger, number)
    number |= {name: len(modules) + i for i, name in enumerate(fragments)}
    parent, method = ledger.paths.parent, ledger.paths.method
    size = max(len(ledger.methods.methods), 1)
    of_class, is_callback, is_own, is_task = (np.zeros(size, kind) for kind in (np.int64, bool, bool, bool))
    for i, each in enumerate(ledger.methods.methods):
        named = enclosing_class(each.class_name, number)
        of_class[i] = NO_MODULE if named is None else number[named]
        is_callback[i] = number.get(each.class_name, len(modules)) < len(modules) and each.name in CALLBACKS
        is_own[i], is_task[i] = of_class[i] != NO_MODULE, may_be_task(each.name)
    in_calls = np.arange(len(parent)) > PROBES
    last = np.where(in_calls, method, 0)
    certain, own = in_calls & is_callback[last], in_calls & (parent == OUTSIDE) & is_own[last]
    entry = _nearest(parent, certain | own)
    has_entry = entry > PROBES
    module, open_task, in_callback = np.full(len(parent), NO_MODULE), *np.zeros((2, len(parent)), bool)
    module[has_entry] = of_class[last[entry[has_entry]]]
    open_task[has_entry] = (is_task[last] & ~certain)[entry[has_entry]]
    in_callback[has_entry] = certain[entry[has_entry]]
    return ModulePaths((*modules, *fragments), module, open_task, in_callback, frozenset(fragments))


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


def _base_classes(ledger: Ledger, messages: ModuleMessages, number: Mapping[str, int]) -> dict[str, int]:
    """Classes whose callbacks received the messages of exactly one module, such as a base class of an activity."""
    users: defaultdict[str, set[int]] = defaultdict(set)
    received = np.flatnonzero((messages.kind >= FIRST_RECEIVE) & (messages.path > PROBES) & (messages.module > 0))
    columns: Sequence[list[int]] = (ledger.paths.method[messages.path[received]].tolist(), messages.module[received].tolist())
    for method, name in zip(*columns, strict=True):
        called, module = ledger.methods.methods[method], messages.names[name]
        if called.name in CALLBACKS and called.class_name not in number and module in number:
            users[called.class_name].add(number[module])
    return {name: next(iter(modules)) for name, modules in users.items() if len(modules) == 1}

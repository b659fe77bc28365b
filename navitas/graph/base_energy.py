"""The energy of base classes of several modules, of which nothing shows the module that it belongs to."""

from __future__ import annotations

from collections import defaultdict

from navitas.attribute.forest import binned
from navitas.attribute.ledger import Ledger, counted_runs
from navitas.attribute.owner_kind import OwnerKind
from navitas.graph.module_graph import BaseClass
from navitas.graph.module_paths import ModulePaths


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

"""Fragments of a recording. No message names them, so they are known by their callbacks.

A fragment's outermost calls are those that Android makes outside of an activity's callbacks, such as those of transactions and of
listeners.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from navitas.attribute.calls.paths import OUTSIDE, PROBES
from navitas.attribute.ledger import Ledger

_BUNDLE, _VIEW = "Landroid/os/Bundle;", "Landroid/view/View;"
_CALLBACKS = frozenset({
    ("onAttach", "(Landroid/content/Context;)V"),
    ("onAttach", "(Landroid/app/Activity;)V"),
    ("onCreateView", f"(Landroid/view/LayoutInflater;Landroid/view/ViewGroup;{_BUNDLE}){_VIEW}"),
    ("onViewCreated", f"({_VIEW}{_BUNDLE})V"),
    ("onActivityCreated", f"({_BUNDLE})V"),
    ("onViewStateRestored", f"({_BUNDLE})V"),
    ("onCreateDialog", f"({_BUNDLE})Landroid/app/Dialog;"),
    ("onCreatePreferences", f"({_BUNDLE}Ljava/lang/String;)V"),
    ("onDestroyView", "()V"),
})  # fmt: skip
"""Callbacks that only fragments have (reference of android.app.Fragment and androidx.fragment.app)."""


def fragment_modules(ledger: Ledger, fragments: Container[str], modules: Container[str]) -> list[str]:
    """Return those of `fragments` with outermost calls, sorted; not those that are, or are nested in, one of `modules`."""
    methods, parent = ledger.methods.methods, ledger.paths.parent
    in_calls = np.arange(len(parent)) > PROBES
    outermost = [methods[i] for i in np.unique(ledger.paths.method[in_calls & (parent == OUTSIDE)]).tolist()]
    found = {enclosing_class(one.class_name, fragments) for one in outermost}
    return sorted(name for name in found if name is not None and enclosing_class(name, modules) is None)


def classes_of_fragments(ledger: Ledger) -> set[str]:
    """Return the classes of which a callback was called that only fragments have."""
    methods = ledger.methods.methods
    called = [methods[i] for i in np.unique(ledger.paths.method[PROBES + 1 :]).tolist()]
    return {one.class_name for one in called if (one.name, one.descriptor) in _CALLBACKS}


def enclosing_class(name: str, classes: Container[str]) -> str | None:
    """Return the class itself or the innermost one around it that is among `classes`."""
    while name not in classes:
        name, dollar, _ = name.rpartition("$")
        if not dollar:
            return None
    return name

"""Finds the test, method, thread or component that a user names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from navitas.base.errors import UsageError
from navitas.base.method_names import without_parameters
from navitas.base.near_names import near_names
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.names import simple_class, test_label
from navitas.energy.analyze.repeats import Repeats
from navitas.insight.verdict.figures import ComponentFigures, Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.insight.verdict.thread_figures import ROLE_NAMES, ThreadUse

T = TypeVar("T")


def find_method(figures: Figures, name: str) -> MethodFigures:
    """Return the method with a name: `run`, `C.run`, `a.b.C.run` or `:app a.b.C.run`. Of overloads, that with most energy.

    Raises `UsageError` if no method has the name, or methods of several classes.
    """
    wanted = without_parameters(name).replace("#", ".")

    def names(method: MethodFigures) -> tuple[str, ...]:
        own = method.total.method
        full = f"{own.class_name}.{own.name}"
        return figures.names.label(method.total.id), full, f"{simple_class(own.class_name)}.{own.name}", own.name

    return _found("method", wanted, figures.methods, names, shown=2)


def find_test(figures: Figures, name: str) -> Repeats:
    """Return the test with a name: `sorts`, `SortTest#sorts` or `a.b.SortTest#sorts`. Raises `UsageError` as `find_method`."""

    def names(group: Repeats) -> tuple[str, ...]:
        name, simple = group.class_name, simple_class(group.class_name)
        in_class = (f"{name}#{group.method}", f"{simple}#{group.method}", name, simple)
        return test_label(group.typical), figures.test_name(group), *in_class, group.method

    return _found("test", name, figures.groups, names, shown=1)


def find_thread(figures: Figures, name: str) -> ThreadUse:
    """Return the threads of the app with a name, or all of a role in `ROLE_NAMES`. Raises `UsageError` if there are none."""
    roles = (use for use in figures.roles if use.role in ROLE_NAMES)
    return _found("thread", name, [*figures.threads, *roles], lambda thread: (thread.name,))


def find_component(figures: Figures, name: str) -> ComponentFigures:
    """Return the component with a name. Raises `UsageError` if no component that used energy has it."""
    return _found("component", name, figures.components, lambda component: (component.name,))


def _found(what: str, wanted: str, records: Sequence[T], names: Callable[[T], Sequence[str]], *, shown: int = 0) -> T:
    """Return the first record with the name. Names are ordered: the first kind that matches any record counts.

    Records are the same for the user if their first names are. `shown` is the kind of name that an error lists.
    """
    rows = [(record, names(record)) for record in records]
    for matches in (
        [(record, row[0]) for record, row in rows if len(row) > kind and row[kind] == wanted]
        for kind in range(max((len(row) for _, row in rows), default=0))
    ):
        if len({label for _, label in matches}) > 1:
            listed = near_names(wanted, (label for _, label in matches))
            raise UsageError(f"several {what}s have the name {printable(wanted)!r}", f"name one of {listed}")
        if matches:
            return matches[0][0]
    raise _unknown(what, wanted, (row[shown] for _, row in rows))


def _unknown(what: str, wanted: str, labels: Iterable[str]) -> UsageError:
    listed = near_names(wanted, labels)
    remedy = f"known are {listed}" if listed else f"the recording has no {what}s"
    return UsageError(f"no {what} {printable(wanted)!r} in this recording", remedy)

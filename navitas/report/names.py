"""Names for people: methods, threads and tests. What shows them makes them safe (`untrusted_text`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what prints progress needs no numpy
    from navitas.analyze.records import TestEnergy
    from navitas.parse.tables import Method, MethodTable

UNKNOWN_METHOD = "(unknown method)"


def method_of(methods: MethodTable, index: int) -> Method | None:
    """The method of an index, None where the table does not know it."""
    return methods.methods[index] if 0 <= index < len(methods.methods) else None


class MethodNames:
    """Names of a table's methods, with their module before them where classes of several modules have one name."""

    def __init__(self, methods: MethodTable) -> None:
        self._methods = methods
        modules: dict[str, str] = {}
        self._shared = {
            method.class_name
            for method in methods.methods
            if modules.setdefault(method.class_name, method.module) != method.module
        }

    def label(self, index: int) -> str:
        """`a.b.C.run`, or `:app a.b.C.run`."""
        method = method_of(self._methods, index)
        return UNKNOWN_METHOD if method is None else f"{self._place(method)}{method.class_name}.{method.name}"

    def short(self, index: int) -> str:
        """The same with its packages cut to their first letters, for narrow tables."""
        method = method_of(self._methods, index)
        return UNKNOWN_METHOD if method is None else f"{self._place(method)}{short_class(method.class_name)}.{method.name}"

    def _place(self, method: Method) -> str:
        return f"{method.module} " if method.class_name in self._shared else ""


def short_class(name: str) -> str:
    """`org.example.Sort` → `o.e.Sort`."""
    *packages, last = name.split(".")
    return ".".join([*(package[:1] for package in packages), last])


def test_label(test: TestEnergy) -> str:
    """`class#method`, with its module unless that is the root project."""
    name = f"{test.class_name}#{test.method}"
    return name if test.module in {"", ":"} else f"{test.module} {name}"

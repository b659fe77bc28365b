"""Display names of methods, classes and tests. Callers must escape them (`navitas.base.untrusted_text`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Progress output imports this module, and must not import numpy.
    from navitas.energy.analyze.records import TestEnergy
    from navitas.recording.parse.tables import Method, MethodTable

UNKNOWN_METHOD = "(unknown method)"


def method_of(methods: MethodTable, index: int) -> Method | None:
    """Return the method with an index, or None if the table doesn't contain it."""
    return methods.methods[index] if 0 <= index < len(methods.methods) else None


class MethodNames:
    """The names of a table's methods. If a class name occurs in several modules, the module is prepended.

    Functions of native code have no class. The file name of their module is prepended: `libc.so memcpy`.
    """

    def __init__(self, methods: MethodTable) -> None:
        self._methods = methods
        modules: dict[str, str] = {}
        self._ambiguous = {
            method.class_name
            for method in methods.methods
            if method.class_name and modules.setdefault(method.class_name, method.module) != method.module
        }

    def label(self, index: int) -> str:
        """Return `a.b.C.run`, or `:app a.b.C.run`."""
        return self._label(index, str)

    def short(self, index: int) -> str:
        """Return the label with packages abbreviated to their first letters, for narrow tables."""
        return self._label(index, short_class)

    def brief(self, index: int) -> str:
        """Return `C.run`, as people say it; the label, if several classes are named `C`."""
        method = method_of(self._methods, index)
        if method is None or method.class_name in self._ambiguous or simple_class(method.class_name) in self._same_names:
            return self.label(index)
        return self._label(index, simple_class)

    @cached_property
    def _same_names(self) -> frozenset[str]:
        return same_names(method.class_name for method in self._methods.methods)

    def _label(self, index: int, class_label: Callable[[str], str]) -> str:
        if (method := method_of(self._methods, index)) is None:
            return UNKNOWN_METHOD
        if not method.class_name:
            return f"{method.module.rpartition('/')[2] or method.module} {method.name}".lstrip()
        module = f"{method.module} " if method.class_name in self._ambiguous else ""
        return f"{module}{class_label(method.class_name)}.{method.name}"


def short_class(name: str) -> str:
    """`org.example.Sort` → `o.e.Sort`."""
    *packages, last = name.split(".")
    return ".".join([*(package[:1] for package in packages), last])


def simple_class(name: str) -> str:
    """`org.example.Sort` → `Sort`."""
    return name.rpartition(".")[2] or name


def same_names(classes: Iterable[str]) -> frozenset[str]:
    """Return the simple names that several of the classes have."""
    first: dict[str, str] = {}
    return frozenset(simple for name in classes if first.setdefault(simple := simple_class(name), name) != name)


def source_of(method: Method) -> str:
    """Return where a method is, such as `Inbox.java:12`. Empty if that is unknown."""
    line = "" if method.line is None else f":{method.line}"
    return f"{method.file}{line}" if method.file else f"line {method.line}" if line else ""


def source_path(method: Method) -> str:
    """Return the file of a method, in the folders of its package, such as `org/example/Inbox.java`. Empty if it is unknown."""
    package = method.class_name.replace(".", "/").rpartition("/")[0]
    return (f"{package}/{method.file}" if package else method.file) if method.file else ""


def test_label(test: TestEnergy) -> str:
    """Return `class#method`, with the module unless it is the root project."""
    name = f"{test.class_name}#{test.method}"
    return name if test.module in {"", ":"} else f"{test.module} {name}"

"""What comparisons compare: the names of figures. Options read them, so this loads no library."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["all", "component", "test", "thread", "method"]
Energy = Literal["app", "base", "total"]
"""Which energy of tests: that of the app's threads without probes, as reports show it; base energy; or all energy."""
ALL_TESTS = "all tests"


class Subject(NamedTuple):
    """What is compared: all tests together, or one component, test, thread (by name) or method.

    `energy` is that of all tests, components and tests. Threads and methods have only their own, and "" here.
    """

    kind: Kind
    name: str
    energy: Energy | Literal[""] = ""

    @property
    def described(self) -> str:
        """Its name with its kind, and for tests which energy it is."""
        return f"{self.name} ({f'{self.energy} energy' if self.energy else self.kind})"


def without_descriptor(method: str) -> str:
    """Return the name of a method without its descriptor. A name of Kotlin can have parentheses, too."""
    return method.rpartition("(")[0] or method


def module_of(method: str) -> str:
    """Return the Gradle module of a method's name; empty in the root project."""
    return method.partition("(")[0].rpartition(":")[0]

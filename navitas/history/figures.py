"""Which figures a user means: `total`, or a kind and a name."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from navitas.compare.comparison import KINDS
from navitas.compare.session import Kind, Subject
from navitas.errors import UsageError
from navitas.untrusted_text import printable


class FigurePattern(NamedTuple):
    """A kind of figures, and a name or a pattern with `*` and `?`."""

    kind: Kind
    name: str

    def matches(self, subject: Subject) -> bool:
        """Whether a figure has this kind and name. The descriptor of a method can be left out."""
        if subject.kind != self.kind:
            return False
        names = {subject.name, subject.name.partition("(")[0]} if self.kind == "method" else {subject.name}
        pattern = self.name.replace("[", "[[]")
        return self.name in names or any(fnmatchcase(name, pattern) for name in names)


def parse_figure(text: str) -> FigurePattern:
    """Return the pattern of `total` or `KIND:NAME`. Raises `UsageError` for another text."""
    kind, _, name = text.partition(":")
    if kind == "total" and name in ("", "all tests"):
        return FigurePattern("total", "*")
    for known in KINDS:
        if kind == known != "total" and name:
            return FigurePattern(known, name)
    example = "such as total, test:a.SortTest#sorts, component:cpu, thread:main or method:a.Sorter.sort"
    raise UsageError(f"{printable(text)!r} is no figure", f"Give total or KIND:NAME, {example}.")

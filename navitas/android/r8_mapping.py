"""The names that R8 or ProGuard has changed: mapping.txt (r8.googlesource.com, doc/retrace.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

MAPPING: Final = "mapping.txt"
MOST_MAPPING_BYTES: Final = 256 << 20
_CLASS_LINE = re.compile(r"(\S+) -> (\S+):$")
_METHOD_LINE = re.compile(r"\s+(?:(\d{1,9}):(\d{1,9}):)?\S+ (?:(\S+)\.)?([\w$<>-]+)\([^()]*\)(?::\d{1,9}){0,2} -> (\S+)$")
_FRAME = re.compile(r"(\s*at )([\w$.]+)\.([\w$<>]+)\(([^():]*)(?::(\d{1,9}))?\)")
_THROWN = re.compile(r"((?:Caused by: |Suppressed: )?)([\w$.]+)(?=[:\s]|$)")


@dataclass(frozen=True, slots=True)
class _Method:
    """A method's source name, its class if it was inlined from another one, and its lines in the minified code."""

    name: str
    class_name: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class SourceNames:
    """Source names by minified name. If empty, texts stay unchanged."""

    classes: dict[str, str] = field(default_factory=dict)
    methods: dict[tuple[str, str], list[_Method]] = field(default_factory=dict)

    def retraced(self, stack: str) -> str:
        """Return a stack trace with source names, where they are known and unambiguous."""
        return "\n".join(map(self._line, stack.split("\n"))) if self.classes else stack

    def method(self, class_name: str, method: str, line: int | None = None) -> tuple[str, str]:
        """Return class and name of a method in the source code. One that is ambiguous keeps its minified name."""
        original = self.classes.get(class_name, class_name)
        fitting = [
            entry
            for entry in self.methods.get((class_name, method), ())
            if line is None or entry.first_line <= line <= entry.last_line
        ]
        names = {(entry.class_name or original, entry.name) for entry in fitting}
        return names.pop() if len(names) == 1 else (original, method)

    def _line(self, line: str) -> str:
        frame = _FRAME.match(line)
        if frame is None:
            return _THROWN.sub(lambda thrown: thrown[1] + self.classes.get(thrown[2], thrown[2]), line, count=1)
        at, class_name, method, source, number = frame.groups()
        owner, name = self.method(class_name, method, None if number is None else int(number))
        place = source if number is None else f"{source}:{number}"
        return f"{at}{owner}.{name}({place}){line[frame.end() :]}"


def has_classes(content: bytes) -> bool:
    """Whether a content has a line of a class, as each mapping.txt has."""
    return re.search(rb"^\S+ -> \S+:\r?$", content, re.MULTILINE) is not None


def parse_mapping(lines: Iterable[str]) -> SourceNames:
    """Parse mapping.txt. Skips comments, fields and unknown lines."""
    names = SourceNames()
    minified = ""
    for text in lines:
        line = text.rstrip("\r")
        if match := _CLASS_LINE.match(line):
            minified = match[2]
            names.classes[minified] = match[1]
        elif minified and (match := _METHOD_LINE.match(line)):
            first, last = (int(match[1]), int(match[2])) if match[1] else (0, 1 << 30)
            method = _Method(match[4], match[3] or "", first, last)
            names.methods.setdefault((minified, match[5]), []).append(method)
    return names

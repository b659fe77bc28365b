"""Stack traces of minified code with the source's names, by the build's mapping.txt (R8, ProGuard: "retrace")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle
from navitas.errors import BuildError
from navitas.owned_folder import owned_folder

_MOST_BYTES = 256 << 20
_CLASS = re.compile(r"(\S+) -> (\S+):$")
_METHOD = re.compile(r"\s+(?:(\d{1,9}):(\d{1,9}):)?\S+ (?:(\S+)\.)?([\w$<>-]+)\([^)]*\)\S* -> (\S+)$")
_FRAME = re.compile(r"(\s*at )([\w$.]+)\.([\w$<>]+)\(([^():]*)(?::(\d{1,9}))?\)")
_THROWN = re.compile(r"((?:Caused by: |Suppressed: )?)([\w$.]+)(?=[:\s]|$)")


@dataclass(frozen=True, slots=True)
class _Method:
    """The name that a method had, its class where it was inlined from another, and for which lines of the minified code."""

    name: str
    class_name: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The source's names by those of the minified code; without any, texts stay as they are."""

    classes: dict[str, str] = field(default_factory=dict)
    methods: dict[tuple[str, str], list[_Method]] = field(default_factory=dict)

    def retraced(self, stack: str) -> str:
        """A stack trace with the names of the source, where they are known and only one fits."""
        return "\n".join(map(self._line, stack.split("\n"))) if self.classes else stack

    def _line(self, line: str) -> str:
        frame = _FRAME.match(line)
        if frame is None:
            return _THROWN.sub(lambda thrown: thrown[1] + self.classes.get(thrown[2], thrown[2]), line, count=1)
        at, class_name, method, source, number = frame.groups()
        original = self.classes.get(class_name, class_name)
        fitting = [
            one
            for one in self.methods.get((class_name, method), ())
            if number is None or one.first_line <= int(number) <= one.last_line
        ]
        names = {(one.class_name or original, one.name) for one in fitting}
        owner, name = names.pop() if len(names) == 1 else (original, method)
        place = source if number is None else f"{source}:{number}"
        return f"{at}{owner}.{name}({place}){line[frame.end() :]}"


def names_of(bundle: Bundle) -> SourceNames:
    """The names of a bundle's minified code; none where it is not minified. Raises `BuildError` when they cannot be read."""
    manifest = bundle.manifest
    if not isinstance(manifest, AndroidManifest) or manifest.mapping is None:
        return SourceNames()
    with owned_folder("navitas-names-") as folder:
        file = bundle.extract(manifest.mapping, folder / "mapping.txt")
        if file.stat().st_size > _MOST_BYTES:
            raise BuildError(f"{bundle.path}: {manifest.mapping} has more than {_MOST_BYTES:,} bytes", "Build the project again.")
        with file.open(encoding="utf-8", errors="replace") as lines:
            return read_names(line.rstrip("\n") for line in lines)


def read_names(lines: Iterable[str]) -> SourceNames:
    """Parse mapping.txt; comments, fields and lines of another form are passed over."""
    names = SourceNames()
    minified = ""
    for line in lines:
        if found := _CLASS.match(line):
            minified = found[2]
            names.classes[minified] = found[1]
        elif minified and (found := _METHOD.match(line)):
            first, last = (int(found[1]), int(found[2])) if found[1] else (0, 1 << 30)
            method = _Method(found[4], found[3] or "", first, last)
            names.methods.setdefault((minified, found[5]), []).append(method)
    return names

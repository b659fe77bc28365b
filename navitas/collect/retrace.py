"""Map stack traces of minified code back to source names with the build's mapping.txt (as R8's and ProGuard's `retrace`)."""

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


def source_names(bundle: Bundle) -> SourceNames:
    """Return the names of a bundle's minified code; empty if it is not minified. Raises `BuildError` if they are unreadable."""
    manifest = bundle.manifest
    if not isinstance(manifest, AndroidManifest) or manifest.mapping is None:
        return SourceNames()
    with owned_folder("navitas-names-") as folder:
        file = bundle.extract(manifest.mapping, folder / "mapping.txt")
        if file.stat().st_size > _MOST_BYTES:
            raise BuildError(f"{bundle.path}: {manifest.mapping} has more than {_MOST_BYTES:,} bytes", "Build the project again.")
        with file.open(encoding="utf-8", errors="replace") as lines:
            return parse_mapping(line.rstrip("\n") for line in lines)


def parse_mapping(lines: Iterable[str]) -> SourceNames:
    """Parse mapping.txt. Skips comments, fields and unknown lines."""
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

"""Frames of profilers as methods: which frames are left out, and which names mean the same method.

Frame → method, in this order:

| frame | method |
|---|---|
| of an interpreter, or a stub between compiled and interpreted code | none: its samples are its caller's |
| of the kernel | module `[kernel]` |
| unknown, or without a name | name `[unknown]`, in the frame's module |
| of native code | its module and its name |
| of Java code, compiled or interpreted | class, name and descriptor alone: a row of a map, if it has the method |

Names of classes that the runtime numbers in each process lose the number: hidden classes, as of lambdas
(`Foo$$Lambda/0x7f3c10001000` → `Foo$$Lambda`), proxies, and accessors of reflection. A lambda's body is a method of its own class
(`lambda$run$0`), as in the other modes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from navitas.recording.parse.arrays import I32
from navitas.recording.parse.stack_samples import KERNEL, Frame
from navitas.recording.parse.tables import Method

UNKNOWN_NAME = "[unknown]"
LEFT_OUT = -1
"""The row of frames that are no methods."""

_STUBS = re.compile(
    r"Interpreter|call_stub|I2C/C2I adapters|[iv]table stub|StubRoutines\b.*"
    r"|art_quick_\w+|art_jni_trampoline|Execute(?:[NM]terp|Switch)Impl\w*|[nm]terp_\w*|Nterp\w*"
    r"|(?:\S+ )?art::interpreter::.*|art(?:Quick|Invoke|Interpreter|Mterp)\w*(?:\(.*\))?|art::ArtMethod::Invoke\b.*"
)
_RUNTIMES = ("libart", "libjvm", "[")
_NUMBERED = (
    (re.compile(r"(?:\$\$Lambda\$\d+)?[/.+]0x[0-9a-fA-F]+$"), ""),
    (re.compile(r"\$\$Lambda\$\d+$"), ""),
    (re.compile(r"((?:^|\.)\$Proxy|\.Generated(?:Method|Constructor|SerializationConstructor)Accessor)\d+$"), r"\1"),
)
_LAMBDA = "$$Lambda"
_SOURCE = "dependency"


def stable_class(name: str) -> str:
    """Return the name of a class without what differs between two processes."""
    for pattern, kept in _NUMBERED:
        short = pattern.sub(kept, name)
        if short != name:
            return short + _LAMBDA if _LAMBDA in name and _LAMBDA not in short else short
    return name


def is_stub(frame: Frame) -> bool:
    """Whether a frame is of an interpreter or of a stub. Only native frames of runtimes, or of no module, are."""
    module = frame.module.rpartition("/")[2]
    return frame.kind == "native" and (not module or module.startswith(_RUNTIMES)) and bool(_STUBS.fullmatch(frame.name))


@dataclass(slots=True)
class FrameRows:
    """Rows of a method table for frames. `methods` begins with the rows of the recording's maps; others are appended."""

    methods: list[Method]
    _exact: dict[tuple[str, str, str], int] = field(init=False)
    _overloads: dict[tuple[str, str], list[int]] = field(init=False)
    _native: dict[tuple[str, str], int] = field(init=False)

    def __post_init__(self) -> None:
        self._exact, self._overloads, self._native = {}, {}, {}
        for method in self.methods:
            self._list(method)

    def rows(self, frames: Sequence[Frame]) -> I32:
        """Return the row of each frame, `LEFT_OUT` for frames that are no methods."""
        rows = np.full(len(frames), LEFT_OUT, np.int32)
        # Frames with a descriptor come first: those without one join them.
        for number in sorted(
            range(len(frames)), key=lambda number: (frames[number].kind == "java", not frames[number].descriptor)
        ):
            frame = frames[number]
            if not is_stub(frame):
                rows[number] = self._java(frame) if frame.kind == "java" and frame.name else self._other(frame)
        return rows

    def unknown(self) -> int:
        """Return the row of what no profiler could name."""
        return self._function("", UNKNOWN_NAME, None)

    def _java(self, frame: Frame) -> int:
        name = stable_class(frame.class_name)
        overloads = self._overloads.get((name, frame.name), [])
        row = self._exact.get((name, frame.name, frame.descriptor))
        if row is None and not frame.descriptor and overloads:
            row = overloads[0] if len(overloads) == 1 else self._around(frame.line, overloads)
        if row is None:
            return self._append(frame.module, name, frame.name, frame.descriptor, frame)
        self._extend(row, frame)
        return row

    def _around(self, line: int, overloads: Iterable[int]) -> int | None:
        """Return the overload that begins last before a line, None if that is unknown."""
        begun = [(begin, row) for row in overloads if (begin := self.methods[row].line) is not None and begin <= line]
        return max(begun)[1] if line > 0 and begun else None

    def _other(self, frame: Frame) -> int:
        module = KERNEL if frame.kind == "kernel" else frame.module
        return self._function(module, UNKNOWN_NAME if frame.kind == "unknown" or not frame.name else frame.name, frame)

    def _function(self, module: str, name: str, frame: Frame | None) -> int:
        row = self._native.get((module, name))
        return self._append(module, "", name, "", frame) if row is None else row

    def _extend(self, row: int, frame: Frame) -> None:
        """Move the first known line of an appended method up to a frame's."""
        method = self.methods[row]
        if method.source == _SOURCE and method.file == (frame.file or None) and 0 < frame.line < (method.line or 0):
            self.methods[row] = replace(method, line=frame.line)

    def _append(self, module: str, class_name: str, name: str, descriptor: str, frame: Frame | None) -> int:
        line, file = (None, None) if frame is None else (frame.line if frame.line > 0 else None, frame.file or None)
        method = Method(len(self.methods), module, class_name, name, descriptor, line, _SOURCE, False, file)
        self.methods.append(method)
        self._list(method)
        return method.id

    def _list(self, method: Method) -> None:
        if method.class_name:
            self._exact.setdefault((method.class_name, method.name, method.descriptor), method.id)
            self._overloads.setdefault((method.class_name, method.name), []).append(method.id)
        else:
            self._native.setdefault((method.module, method.name), method.id)

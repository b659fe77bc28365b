"""Call stacks of the ledger's owners and call paths in a Perfetto trace: the owner, then the methods, outermost first."""

from __future__ import annotations

from collections.abc import Iterator

from navitas.energy.analyze.bounded_tree import NON_THREADS
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.names import MethodNames, method_of
from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.ledger import Ledger
from navitas.report.bounded_stacks import DEEPER, MAX_DEPTH
from navitas.report.perfetto.trace_packets import TraceFrame, TracePackets

_PROBES = "(probes)"


class CallStacks:
    """Describes call stacks, each before its first use. Calls deeper than `MAX_DEPTH` share a frame."""

    def __init__(self, ledger: Ledger, packets: TracePackets) -> None:
        self._owners, self._methods, self._packets = ledger.owners, ledger.methods, packets
        self._names, self._untraced = MethodNames(ledger.methods), call_words(ledger).frame
        self._parent, self._method = ledger.paths.parent.tolist(), ledger.paths.method.tolist()
        self._frames: dict[int, bytes] = {}
        self._shown: list[int] = []
        """By path: itself, or its caller at the maximum depth."""
        depths: list[int] = []
        for path, parent in enumerate(self._parent):
            depth = depths[parent] + 1 if path > PROBES else 0
            depths.append(depth)
            self._shown.append(path if depth <= MAX_DEPTH else self._shown[parent])

    def owner(self, owner: int) -> str:
        """Return the name of an owner of energy."""
        kind = OwnerKind(self._owners.kind[owner])
        return self._owners.name[owner] or "(unnamed thread)" if kind == OwnerKind.THREAD else NON_THREADS[kind][0]

    def method(self, method: int) -> str:
        return self._names.label(method)

    def number(self, owner: int, path: int) -> int:
        """Return the number of the call stack of an owner's call path."""
        shown = self._shown[path]
        return self._packets.callstack((self.owner(owner), shown, shown == path), self._stack(owner, path, shown))

    def _stack(self, owner: int, path: int, shown: int) -> Iterator[bytes]:
        yield self._packets.frame(TraceFrame(self.owner(owner)))
        if self._owners.kind[owner] != OwnerKind.THREAD:
            return
        if path in (OUTSIDE, PROBES):
            yield self._packets.frame(TraceFrame(self._untraced if path == OUTSIDE else _PROBES))
            return
        methods = []
        at = shown
        while at > PROBES:
            methods.append(self._method[at])
            at = self._parent[at]
        yield from map(self._frame, reversed(methods))
        if shown != path:
            yield self._packets.frame(TraceFrame(DEEPER))

    def _frame(self, method: int) -> bytes:
        frame = self._frames.get(method)
        if frame is None:
            entry = method_of(self._methods, method)
            source = ("", 0) if entry is None else (entry.file or "", entry.line or 0)
            frame = self._frames[method] = self._packets.frame(TraceFrame(self.method(method), *source))
        return frame

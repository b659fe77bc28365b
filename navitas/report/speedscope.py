"""Profiles for https://www.speedscope.app, one for each test. The width of a frame is energy instead of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from navitas import __version__
from navitas.base.json_text import JsonLines, json_chunks
from navitas.base.units import UJ_PER_J
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.names import MethodNames, method_of, test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy, ThreadEnergy
from navitas.energy.attribute.component import OwnerKind
from navitas.recording.parse.tables import MethodTable
from navitas.report.format import Format

OWNER_FRAMES = {
    OwnerKind.OTHER_PROCESSES: "(other processes)",
    OwnerKind.BASE: "(base)",
    OwnerKind.UNATTRIBUTED: "(unattributed)",
}
"""The frames of energy that no thread used."""
_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_EVENT = '{"type": "%s", "frame": %d, "at": %.12g}'


class Step(NamedTuple):
    """One step of a walk: it enters a node, with the node's self energy, or leaves it."""

    enters: bool
    method: int
    self_uj: float


def walk(thread: ThreadEnergy) -> Iterator[Step]:
    """Walk a thread's call tree depth first. The walk is iterative, since trees can be as deep as a JVM's stack."""
    parents, methods, _, _, self_j, _ = (column.tolist() for column in thread.nodes.columns)
    children: list[list[int] | None] = [None] * len(parents)
    roots: list[int] = []
    for node, parent in enumerate(parents):
        if parent < 0:
            roots.append(node)
        elif (siblings := children[parent]) is None:
            children[parent] = [node]
        else:
            siblings.append(node)
    stack = roots[::-1]
    while stack:
        node = stack.pop()
        if node < 0:
            yield Step(False, methods[~node], 0.0)
            continue
        yield Step(True, methods[node], max(self_j[node], 0.0) * UJ_PER_J)
        stack.append(~node)
        stack += (children[node] or ())[::-1]


def write(profile: Profile, out: IO[str]) -> None:
    """Write an evented profile for each test that ran: threads with their calls, and energy that no thread used.

    speedscope has no unit for energy. The unit is `none`, values are µJ, and the profiles' names contain "µJ".
    """
    frames, untraced, profiles = _SharedFrames(profile.method_table), call_words(profile.ledger).frame, []
    for test in (test for test in profile.tests if test.wall_ns > 0):
        events = _Events()
        _add(events, test, frames, untraced)
        profiles.append(_evented(f"{printable(test_label(test))} run {test.repeat + 1} (µJ)", events))
    out.writelines(json_chunks(_file(profile, frames, profiles)))
    out.write("\n")


FORMAT = Format("speedscope", ".speedscope.json", "a profile for speedscope.app, where width is energy", write, shows_calls=True)


def _file(profile: Profile, frames: _SharedFrames, profiles: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "$schema": _SCHEMA,
        "name": f"{printable(profile.project)} (µJ)",
        "exporter": f"navitas@{__version__}",
        "activeProfileIndex": 0,
        "shared": {"frames": frames.frames},
        "profiles": profiles,
    }


class _SharedFrames:
    """The frames that all profiles share."""

    def __init__(self, methods: MethodTable) -> None:
        self.frames: list[dict[str, Any]] = []
        self._methods = methods
        self._names = MethodNames(methods)
        self._known: dict[str | int, int] = {}

    def named(self, name: str) -> int:
        return self._add(name, {"name": printable(name)})

    def method(self, index: int) -> int:
        if index in self._known:
            return self._known[index]
        method = method_of(self._methods, index)
        frame: dict[str, Any] = {"name": printable(self._names.label(index), 1000)}
        if method is not None and method.line is not None:
            frame |= {"file": printable(method.class_name, 1000), "line": method.line}
        return self._add(index, frame)

    def _add(self, key: str | int, frame: dict[str, Any]) -> int:
        if key not in self._known:
            self._known[key] = len(self.frames)
            self.frames.append(frame)
        return self._known[key]


class _Events:
    """Events that open and close frames, at positions in µJ."""

    def __init__(self) -> None:
        self.at = 0.0
        self.events: list[str] = []

    def open(self, frame: int, self_uj: float) -> None:
        self.events.append(_EVENT % ("O", frame, self.at))
        self.at += max(self_uj, 0.0)

    def close(self, frame: int) -> None:
        self.events.append(_EVENT % ("C", frame, self.at))


def _evented(name: str, events: _Events) -> dict[str, Any]:
    return {
        "type": "evented",
        "name": name,
        "unit": "none",
        "startValue": 0,
        "endValue": float(f"{events.at:.12g}"),
        "events": JsonLines(events.events),
    }


def _add(events: _Events, test: TestEnergy, frames: _SharedFrames, untraced: str) -> None:
    """Add the threads of a test with their calls, and the energy that no thread used."""
    for thread in test.threads:
        top = frames.named(thread.label)
        events.open(top, 0.0)
        for step in walk(thread):
            frame = frames.method(step.method)
            if step.enters:
                events.open(frame, step.self_uj)
            else:
                events.close(frame)
        _leaf(events, frames.named(untraced), thread.untraced_j + thread.probes_j)
        events.close(top)
    others_j = (test.other_processes_j, test.base_j, test.unattributed_j)
    for name, joules in zip(OWNER_FRAMES.values(), others_j, strict=True):
        _leaf(events, frames.named(name), joules)


def _leaf(events: _Events, frame: int, joules: float) -> None:
    if joules > 0:
        events.open(frame, joules * UJ_PER_J)
        events.close(frame)

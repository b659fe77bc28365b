"""Profiles for https://www.speedscope.app: one a test, where width is energy instead of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from navitas import __version__
from navitas.analyze.flame_nodes import SMALLER, SMALLER_THREADS, FlameNodes
from navitas.analyze.profile import Profile
from navitas.analyze.records import TestEnergy, ThreadEnergy
from navitas.parse.tables import MethodTable
from navitas.report.format import Format
from navitas.report.frames import J_TO_UJ, UNTRACED, walk
from navitas.report.json_text import JsonLines, written
from navitas.report.names import MethodNames, method_of, test_label
from navitas.untrusted_text import printable

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_EVENT = '{"type": "%s", "frame": %d, "at": %.12g}'


def write(profile: Profile, out: IO[str]) -> None:
    """An evented profile for each test that ran: threads, below them their calls, and what threads did not use.

    speedscope has no unit for energy, so the unit is `none` and values are µJ, as the profiles' names say.
    """
    out.writelines(written(_separate(profile)))
    out.write("\n")


FORMAT = Format("speedscope", ".speedscope.json", "a profile for speedscope.app, where width is energy", write, shows_calls=True)


def written_graph(profile: Profile, flames: FlameNodes) -> Iterator[str]:
    """One profile of several tests in parts of text: tests, below them threads and calls."""
    frames, events = _SharedFrames(profile.method_table), _Events()
    for test in flames.tests:
        frame = frames.named(test_label(test))
        events.open(frame, 0.0)
        _add(events, test, frames)
        events.close(frame)
    if flames.smaller_tests:
        _leaf(events, frames.named(f"(smaller tests ×{flames.smaller_tests:,})"), flames.smaller_tests_j)
    return written(_file(profile, frames, [_evented("all tests (µJ)", events)]))


def _separate(profile: Profile) -> dict[str, Any]:
    frames = _SharedFrames(profile.method_table)
    tests = [test for test in profile.tests if test.wall_ns > 0]
    return _file(profile, frames, [_profile(test, frames) for test in tests])


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
    """The frames all profiles share, each once."""

    def __init__(self, methods: MethodTable) -> None:
        self.frames: list[dict[str, Any]] = []
        self._methods = methods
        self._names = MethodNames(methods)
        self._known: dict[str | int, int] = {}

    def named(self, name: str) -> int:
        """The frame of something that is no method."""
        return self._add(name, {"name": printable(name)})

    def method(self, index: int) -> int:
        """The frame of a method, or of calls that are too small for frames of their own."""
        if index in self._known:
            return self._known[index]
        if index == SMALLER:
            return self._add(index, {"name": "(smaller calls)"})
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
    """Opening and closing of frames along an axis of µJ."""

    def __init__(self) -> None:
        self.at = 0.0
        self.events: list[str] = []

    def open(self, frame: int, own_uj: float) -> None:
        self.events.append(_EVENT % ("O", frame, self.at))
        self.at += max(own_uj, 0.0)

    def close(self, frame: int) -> None:
        self.events.append(_EVENT % ("C", frame, self.at))


def _profile(test: TestEnergy, frames: _SharedFrames) -> dict[str, Any]:
    events = _Events()
    _add(events, test, frames)
    return _evented(f"{printable(test_label(test))} run {test.repeat + 1} (µJ)", events)


def _evented(name: str, events: _Events) -> dict[str, Any]:
    return {
        "type": "evented",
        "name": name,
        "unit": "none",
        "startValue": 0,
        "endValue": float(f"{events.at:.12g}"),
        "events": JsonLines(events.events),
    }


def _add(events: _Events, test: TestEnergy, frames: _SharedFrames) -> None:
    """The threads of a test with their calls, and what threads did not use."""
    for thread in test.threads:
        if thread.role == SMALLER_THREADS:
            _leaf(events, frames.named(f"(smaller threads ×{thread.count:,})"), thread.energy_j)
            continue
        top = frames.named(_name(thread))
        events.open(top, 0.0)
        for step in walk(thread):
            frame = frames.method(step.method)
            if step.enters:
                events.open(frame, step.self_uj)
            else:
                events.close(frame)
        _leaf(events, frames.named(UNTRACED), thread.untraced_j + thread.probes_j)
        events.close(top)
    for name, joules in (
        ("(other processes)", test.other_processes_j),
        ("(idle)", test.base_j),
        ("(unattributed)", test.unattributed_j),
    ):
        _leaf(events, frames.named(name), joules)


def _name(thread: ThreadEnergy) -> str:
    return thread.name if thread.count == 1 else f"{thread.name} ×{thread.count}"


def _leaf(events: _Events, frame: int, joules: float) -> None:
    if joules > 0:
        events.open(frame, joules * J_TO_UJ)
        events.close(frame)

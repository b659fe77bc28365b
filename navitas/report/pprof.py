"""Profiles for pprof and tools that read its format (github.com/google/pprof, proto/profile.proto), compressed with gzip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import count
from typing import IO

import numpy as np

from navitas import __version__
from navitas.base.moments import unix_s
from navitas.base.protobuf_writer import content, number, packed, varint
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.names import MethodNames, method_of, source_path, test_label
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.report.bounded_stacks import DEEPER, MAX_DEPTH, BoundedStacks, StackedCall
from navitas.report.format import Format, compressed
from navitas.report.speedscope import OWNER_FRAMES
from navitas.report.whole_energy import WholeEnergy, whole_energy

_SAMPLE_TYPES = (("energy", "microjoules"), ("time", "nanoseconds"))
_COMMENT = "Energies are estimates. The JSON report of navitas has their standard errors."
_LONGEST_NAME = 1000
_MAX_NS = 1 << 62
_LATEST_NS = (1 << 63) - 1


def write(profile: Profile, out: IO[bytes]) -> None:
    """Write one profile of all tests. Its samples are call paths of threads, with labels: test, repeat, thread, component.

    Each component has samples of its own; those of the first one also have the self time and the calls, or stack samples. Energy
    is in whole microjoules (`whole_energy`). Calls deeper than `MAX_DEPTH` are one frame, as in collapsed stacks.
    """
    with compressed(out) as stream:
        stream.writelines(_Messages(profile).all())


FORMAT = Format("pprof", ".pb.gz", "a profile for pprof, in microjoules", write, binary=True, shows_calls=True)


class _Messages:
    """The messages of one profile. Strings, functions and locations get numbers when they are first used."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._strings: dict[str, int] = {"": 0}
        self._locations: list[tuple[str, str, int]] = []
        self._names = MethodNames(profile.method_table)
        self._of_method = cache(self._method_location)
        self._of_name = cache(self._location)

    def all(self) -> Iterator[bytes]:
        """Yield the fields of the profile."""
        profile = self._profile
        tests = [test for test in profile.tests if test.wall_ns > 0]
        energy, trees = whole_energy(profile.tables), profile.tables.trees
        self_ns = np.rint(np.clip(trees.self_ns, 0, _MAX_NS)).astype(np.int64)
        counted = trees.counts[:, 0] if trees.samples is None else trees.samples
        stacks = BoundedStacks(trees, np.column_stack([energy.node_uj, self_ns, counted]))
        for kind, unit in (*_SAMPLE_TYPES, (call_words(profile.ledger).counted.lower(), "count")):
            yield content(1, number(1, self._string(kind)) + number(2, self._string(unit)))
        for test in tests:
            yield from self._test(test, energy, stacks)
        for id_field, (name, file, line) in zip(map(partial(number, 1), count(1)), self._locations, strict=False):
            names = number(2, self._string(name)) + number(3, self._string(name))
            yield content(4, id_field + content(4, id_field + number(2, line)))
            yield content(5, id_field + names + number(4, self._string(file)) + number(5, line))
        yield number(9, min(unix_s(profile.about.created_utc) * 1_000_000_000, _LATEST_NS))
        yield number(10, sum(test.wall_ns for test in tests))
        yield number(13, self._string(f"navitas {__version__}: {printable(profile.project)}"))
        yield number(13, self._string(_COMMENT))
        yield number(14, self._string(_SAMPLE_TYPES[0][0]))
        yield from (content(6, text) for text in self._strings)

    def _test(self, test: TestEnergy, energy: WholeEnergy, stacks: BoundedStacks) -> Iterator[bytes]:
        tables, (row,) = self._profile.tables, test.rows
        of_test = self._label("test", test_label(test)) + self._label("repeat", str(test.repeat))
        low, high = tables.threads.start[row : row + 2].tolist()
        for tree, thread in zip(range(low, high), test.threads, strict=True):
            labels = self._labels(of_test + self._label("thread", thread.label))
            yield from self._calls(stacks.of(tree), labels)
            yield from _samples(
                self._of_name(call_words(self._profile.ledger).frame), energy.thread_uj[tree].tolist(), 0, 0, labels
            )
        labels = self._labels(of_test)
        for kind, name in OWNER_FRAMES.items():
            yield from _samples(self._of_name(name), energy.other_uj[row, kind].tolist(), 0, 0, labels)

    def _calls(self, tree: Iterator[StackedCall], labels: Sequence[bytes]) -> Iterator[bytes]:
        stacks = [b""] * (MAX_DEPTH + 2)
        for depth, method, (*uj, ns, calls) in tree:
            frame = self._of_name(DEEPER) if method is None else self._of_method(method)
            stacks[depth] = frame + stacks[depth - 1]
            yield from _samples(stacks[depth], uj, ns, calls, labels)

    def _labels(self, common: bytes) -> list[bytes]:
        """Return the labels of a sample for each component."""
        return [common + self._label("component", name) for name in self._profile.components]

    def _label(self, key: str, value: str) -> bytes:
        return content(3, number(1, self._string(key)) + number(2, self._string(printable(value, _LONGEST_NAME) or "?")))

    def _method_location(self, index: int) -> bytes:
        method = method_of(self._profile.method_table, index)
        file, line = ("", 0) if method is None else (source_path(method), method.line or 0)
        return self._location(self._names.label(index), file, line)

    def _location(self, name: str, file: str = "", line: int = 0) -> bytes:
        """Add a location with a function of its own, and return its encoded number."""
        self._locations.append((printable(name, _LONGEST_NAME) or "?", printable(file, _LONGEST_NAME), line))
        return varint(len(self._locations))

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))


def _samples(stack: bytes, uj: Sequence[int], ns: int, calls: int, labels: Sequence[bytes]) -> Iterator[bytes]:
    """Yield a sample for each component with energy. The first one also has time and calls. `stack` begins with the callee."""
    for of_component, label in zip(uj, labels, strict=True):
        if of_component or ns or calls:
            yield content(2, content(1, stack) + packed(2, (of_component, ns, calls)) + label)
        ns = calls = 0

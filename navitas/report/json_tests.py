"""Tests and their threads in the JSON report, many rows at a time: there can be tens of thousands, each with few methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from navitas.base.json_text import JsonLines, line
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import BLOCK_ROWS, TestEnergy
from navitas.energy.analyze.records_of_tests import RowBlocks, ThreadRecords
from navitas.energy.analyze.uncertainty import FigureKind, StandardError, standard_j
from navitas.recording.parse.arrays import F64, I64
from navitas.report.json_rows import (
    ERROR_DIGITS,
    MethodLines,
    Texts,
    figure_texts,
    node_lines,
    objects,
    rows_of,
    value_texts,
    without_energy,
)

ERRORS = ("standard_j", *StandardError.__slots__)
BLOCK_TESTS = 1000
_NULL = "null"


class TestTexts(JsonLines):
    """The array of tests. Each is written in parts, since the trees of one test can be as large as the whole report."""

    __test__ = False

    def __init__(self, profile: Profile, lines: MethodLines) -> None:
        self._profile = profile
        self._tables, self._components = profile.tables, profile.components
        self._records = ThreadRecords(self._tables)
        self._method_start, self._node_start = (rows.start.tolist() for rows in (self._tables.methods, self._tables.trees))

        def nodes(at: slice) -> list[list[str]]:
            ids = np.arange(at.start, at.stop) - self._tables.trees.start[self._tables.trees.tree[at]]
            return [list(node_lines(ids, self._records.nodes(at), self._components))]

        self._threads = RowBlocks(len(self._tables.threads.test), self._thread_fields)
        self._methods = RowBlocks(self._method_start[-1], lambda at: [list(lines.lines(self._records.method_columns(at)))])
        self._nodes = RowBlocks(self._node_start[-1], nodes)

    def chunks(self, margin: str) -> Iterator[str]:
        """Yield the array's text in parts."""
        separator, start, inner = "[", self._tables.threads.start.tolist(), f"{margin}  "
        for first in range(0, len(self._profile.tests), BLOCK_TESTS):
            tests = self._profile.tests[first : first + BLOCK_TESTS]
            for test, fields in zip(tests, self._test_fields(tests, inner), strict=True):
                (row,) = test.rows
                yield f'{separator}{margin} {{{inner}{fields},{inner}"threads": '
                yield from self._thread_texts(start[row], start[row + 1], inner)
                yield f"{margin} }}"
                separator = ","
        yield "[]" if separator == "[" else f"{margin}]"

    def _thread_texts(self, low: int, high: int, margin: str) -> Iterator[str]:
        separator, inner = "[", f"{margin}  "
        for thread, (fields, measured) in enumerate(self._threads.rows(low, high), low):
            yield f'{separator}{margin} {{{inner}{fields},{inner}"methods": '
            yield from _rows(self._methods, self._method_start[thread : thread + 2], measured).chunks(inner)
            yield f',{inner}"nodes": '
            yield from _rows(self._nodes, self._node_start[thread : thread + 2], measured).chunks(inner)
            yield f"{margin} }}"
            separator = ","
        yield "[]" if separator == "[" else f"{margin}]"

    def _test_fields(self, tests: Sequence[TestEnergy], margin: str) -> Iterator[str]:
        """Yield the fields of each test, without braces. An array has a line of its own, as everywhere in the report."""
        uses = list(map(self._profile.cpu_use, tests))
        wall_ns = np.array([test.wall_ns for test in tests])
        energy_j, app_j = np.array([test.components for test in tests]), self._tables.app_j[[test.rows[0] for test in tests]]
        probes_j = np.array([test.probes_error_j or 0.0 for test in tests])

        def of(*names: str, write: Callable[[Iterable[Any]], Texts] = value_texts) -> dict[str, Texts]:
            return {name: write(map(attrgetter(name), tests)) for name in names}

        def of_uses(*names: str) -> dict[str, Texts]:
            return {name: value_texts(map(attrgetter(name), uses)) for name in names}

        begin = rows_of(
            {
                **of("id", "run"),
                **of("module", write=_texts),
                "class": _texts(test.class_name for test in tests),
                **of("method", write=_texts),
                **of("repeat"),
                **of("status", write=_texts),
                "failure": _texts(test.failure or None for test in tests),
            }
        )
        end = rows_of(
            {
                **of("wall_ns"),
                **of_uses("cpu_ns", "waited_ns", "starved_ns", "starved_share"),
                **of("energy_j"),
                "error": self._errors("total", energy_j, wall_ns),
                "app_error": self._errors("app", app_j, wall_ns, probes_j),
                "threads_j": value_texts(test.threads_total_j for test in tests),
                **of("other_processes_j", "base_j", "unattributed_j", "app_j", "compensated_j"),
                **of("compensated_error_j", "probes_error_j", "sampled_probes_j", "unprobed_j", "unprobed_threads_j"),
                f"{self._profile.ledger.alternative}_j": value_texts(test.alternative_j for test in tests),
                **of("components", "app_components", "base_components", write=self._by_component),
            }
        )
        between = (f',{margin}"unfit": {line(test.unfit)},{margin}' if test.unfit else ", " for test in tests)
        return map("".join, zip(begin, between, end, strict=True))

    def _thread_fields(self, at: slice) -> list[list[Any]]:
        """Return the fields of each thread on one line, without braces, and whether its CPU time is known."""
        serial, tid, name, role, count, energy_j, cpu_ns, untraced_j, probes_j, components, measured = self._records.figures(at)
        test, tests = self._tables.threads.test[at], self._tables.ledger.tests
        wall_ns = (tests.end_ns - tests.start_ns)[test]

        def known(values: Sequence[float]) -> list[str]:
            """Return figures that are null for unmeasured threads, as `KnownFigures.known`."""
            texts = value_texts(value if value or is_known else None for value, is_known in zip(values, measured, strict=True))
            return [_NULL if text is None else text for text in texts]

        fields = rows_of(
            {
                **{"serial": value_texts(serial), "tid": value_texts(tid), "name": _texts(name), "role": _texts(role)},
                **{"count": value_texts(count), "energy_j": known(energy_j)},
                "error": self._errors("thread", self._tables.threads.energy_j[at], wall_ns),
                **{"cpu_ns": known(cpu_ns), "untraced_j": known(untraced_j), "probes_j": known(probes_j)},
                "components": self._by_component(components),
            }
        )
        return [list(fields), measured]

    def _errors(self, kind: FigureKind, components_j: F64, wall_ns: I64, probes_j: F64 | float = 0.0) -> Iterator[str]:
        causes = self._profile.uncertainty.of_each(kind, components_j.T, wall_ns, probes_j=probes_j)
        each_cause = np.stack(np.broadcast_arrays(*causes), axis=1)
        columns = standard_j(each_cause), *each_cause.T
        return objects({name: figure_texts(column, ERROR_DIGITS) for name, column in zip(ERRORS, columns, strict=True)})

    def _by_component(self, rows: Iterable[Sequence[float]]) -> Iterator[str]:
        columns = map(value_texts, zip(*rows, strict=True))
        return objects(dict(zip(self._components, columns, strict=True)))


def _rows(blocks: RowBlocks, bounds: Sequence[int], measured: bool) -> JsonLines:
    """Return the lines of rows. Energies are null unless `measured`."""
    low, high = bounds
    firsts = range(low, high, BLOCK_ROWS)
    texts = (text for first in firsts for text in blocks.columns(first, min(first + BLOCK_ROWS, high))[0])
    return JsonLines(texts if measured else map(without_energy, texts))


def _texts(values: Iterable[Any]) -> list[str | None]:
    """Return values as JSON, None for None."""
    return [None if value is None else _encoded(value) for value in values]


_encoded = cache(line)

"""Lines of the JSON report for methods and call-tree nodes. There can be millions of them."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from math import isfinite
from typing import Any

from navitas.base.json_text import Inline, line
from navitas.energy.analyze.names import UNKNOWN_METHOD, method_of
from navitas.energy.analyze.records import Nodes
from navitas.recording.parse.tables import MethodTable

NOT_FINITE = "Out of range float values are not JSON compliant"
# Formatting a line with a template takes a third of the time of a JSON encoder. Figures have 12 significant digits.
# Columns are formatted together, since a record or a loop for each line doubles the time.
_NODE = '{"id": %d, "parent": %d, "method": %d, "calls": %d, "inclusive_j": %.12g, "exclusive_j": %.12g, "wall_ns": %d'
_METHOD = (
    '{%s, "calls": %d, "throws": %d, "cut": %d, "inclusive_j": %.12g, "exclusive_j": %.12g, '
    '"wall_ns": %d, "self_ns": %d, "cpu_ns": %d, "inclusive_standard_j": %.3g, "exclusive_standard_j": %.3g'
)
_SAMPLES = ', "samples": %d'
_FIGURE = "%.12g"
_FEW_ROWS = 50  # To compare the columns of fewer rows takes longer than it saves.
_SPEC = re.compile(r"%(?:%|d|s|\.\d+g)")
_OPTIONAL = ("inclusive_error_j", "exclusive_error_j", "raw_inclusive_j", "raw_exclusive_j")
_SPLIT = ("components", "inclusive_components")
_UNKNOWN = ("inclusive_j", "exclusive_j", "cpu_ns")
"""What is null for a thread whose CPU time is unknown."""


class MethodLines:
    """Formats the lines of methods, and caches the methods' names.

    Lines have components if there are at least two, and samples in a recording with stack samples.
    """

    def __init__(self, methods: MethodTable, components: Sequence[str], alternative: str | None) -> None:
        self.name: Callable[[int], str] = cache(partial(_name_fields, methods))
        """Returns the fields that identify a method, without braces."""
        self._optional = (*_OPTIONAL, f"{alternative}_j", "samples")
        self._components = _split_fields(components)

    def lines(self, columns: Sequence[Sequence[Any]]) -> Iterator[str]:
        """Yield a line for each method of these columns: the fields of `MethodEnergy`.

        Raises `ValueError` for a figure that isn't finite.
        """
        method, *always = columns[:9]
        optional, split, standard = [*columns[10:14], columns[9], columns[18]], columns[14:16], columns[16:18]
        missing = [column.count(None) for column in optional]
        if not {0, len(method)}.issuperset(missing):
            unknown = [tuple(value is None for value in row) for row in zip(*optional, strict=True)]
            for _, group in groupby(range(len(method)), unknown.__getitem__):
                rows = list(group)
                yield from self.lines([column[rows[0] : rows[-1] + 1] for column in columns])
            return
        given = [(key, column) for key, column, none in zip(self._optional, optional, missing, strict=True) if not none]
        by_component = [values for column in split for values in zip(*column, strict=True)] if self._components else []
        figures = (*always, *standard, *(column for _, column in given), *by_component)
        check_finite(figures)
        template = "".join([_METHOD, *(f', "{key}": %.12g' for key, _ in given), self._components, "}"])
        yield from _rows(template, [[*map(self.name, method)], *figures])


def _name_fields(methods: MethodTable, index: int) -> str:
    """Return the fields that identify a method, without braces."""
    method = method_of(methods, index)
    fields = {
        "id": index,
        "module": method.module if method else "",
        "class": method.class_name if method else "",
        "name": method.name if method else UNKNOWN_METHOD,
        "descriptor": method.descriptor if method else "",
    }
    return line(fields)[1:-1]


def shares(components: Sequence[str], joules: Sequence[float]) -> Inline:
    """Return an object of joules by component."""
    return Inline(zip(components, joules, strict=True))


def node_lines(ids: Sequence[int], nodes: Nodes, components: Sequence[str]) -> Iterator[str]:
    """Return a line for each node, with its id in its call tree. Lines have components if there are at least two.

    Raises `ValueError` for a figure that isn't finite.
    """
    fields = _split_fields(components)
    by_component = [*nodes.exclusive_by.T, *nodes.inclusive_by.T] if fields else []
    samples = [] if nodes.samples is None else [nodes.samples]
    columns = [column.tolist() for column in (*nodes.columns, *samples, *by_component)]
    check_finite(columns)
    return _rows(f"{_NODE}{_SAMPLES * len(samples)}{fields}}}", [ids, *columns])


def _rows(template: str, columns: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Format a line for each row. Figures that are alike in two columns are formatted once, and columns of zeros not at all.

    Most components use nothing, and most calls use the CPU only: their energy is that of all components.
    """
    if len(columns[0]) < _FEW_ROWS:
        return map(template.__mod__, zip(*columns, strict=True))
    specs = [spec for spec in _SPEC.findall(template) if spec != "%%"]
    formats: list[str] = []
    given: list[Sequence[Any]] = []
    texts: list[tuple[Sequence[float], list[str]]] = []
    figures = [column for spec, column in zip(specs, columns, strict=True) if spec == _FIGURE and any(column)]
    for spec, column in zip(specs, columns, strict=True):
        if spec == _FIGURE and array("d", column).tobytes() == bytes(8 * len(column)):  # −0 is not 0 in text
            formats.append("0")
        elif spec == _FIGURE and sum(column == other for other in figures) > 1:
            text = next((text for other, text in texts if other == column), None)
            if text is None:
                texts.append((column, text := list(map(_FIGURE.__mod__, column))))
            formats.append("%s")
            given.append(text)
        else:
            formats.append(spec)
            given.append(column)
    following = iter(formats)
    template = _SPEC.sub(lambda match: "%%" if match[0] == "%%" else next(following), template)
    return map(template.__mod__, zip(*given, strict=True))


def without_energy(row: str) -> str:
    """Return a row whose figures of energy and CPU time are null instead of 0, without the fields that explain them."""
    fields = json.loads(row)
    return line(
        {
            key: (value or None) if key in _UNKNOWN else value
            for key, value in fields.items()
            if key in _UNKNOWN or not (key.endswith("_j") or key in _SPLIT)
        }
    )


def _split_fields(components: Sequence[str]) -> str:
    """Return the template of the fields that split energies by component. Empty for a single component."""
    if len(components) < 2:
        return ""
    figures = ", ".join(f"{line(name).replace('%', '%%')}: %.12g" for name in components)
    return "".join(f', "{field}": {{{figures}}}' for field in _SPLIT)


def check_finite(columns: Iterable[Sequence[float]]) -> None:
    if not all(isfinite(sum(column)) for column in columns):
        raise ValueError(NOT_FINITE)

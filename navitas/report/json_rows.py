"""Lines of the JSON report for methods and call-tree nodes. There can be millions of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import repeat
from math import isfinite
from typing import Any, cast

import numpy as np
import orjson
from numpy.typing import NDArray

from navitas.base.json_text import Inline, line
from navitas.energy.analyze.names import UNKNOWN_METHOD, method_of
from navitas.energy.analyze.records import Nodes
from navitas.energy.analyze.records_of_tests import MethodColumns
from navitas.recording.parse.arrays import F64
from navitas.recording.parse.tables import MethodTable

NOT_FINITE = "Out of range float values are not JSON compliant"
DIGITS, ERROR_DIGITS = 12, 3
"""The significant digits of figures, and of their standard errors."""
_POWERS = np.array([float(10**power) for power in range(23)])  # all that are exact
_COUNTS = ("calls", "throws", "cut")
_NODE = ("parent", "method", "calls", "inclusive_j", "exclusive_j", "wall_ns")
_SPLIT = ("components", "inclusive_components")
_UNKNOWN = ("inclusive_j", "exclusive_j", "cpu_ns")
"""What is null for a thread whose CPU time is unknown."""

Texts = Iterable[str | None]
"""A column as JSON. A row lacks a field whose text is None."""


class MethodLines:
    """Formats the lines of methods, and caches the methods' names.

    Lines have components if there are at least two, and samples in a recording with stack samples.
    """

    def __init__(self, methods: MethodTable, components: Sequence[str], alternative: str | None) -> None:
        self.name: Callable[[int], str] = cache(partial(_name_fields, methods))
        """Returns the fields that identify a method, without braces."""
        self._alternative = f"{alternative}_j"
        self._components = components

    def lines(self, columns: MethodColumns) -> Iterator[str]:
        """Yield a line for each method. Raises `ValueError` for a figure that isn't finite."""
        optional = {key: column for key, column in columns.optional.items() if not np.isnan(column).all()}
        if columns.alternative_j is not None:
            optional[self._alternative] = columns.alternative_j
        fields = {
            **{key: figure_texts(counts) for key, counts in zip(_COUNTS, columns.counts.T, strict=True)},
            **{key: figure_texts(column) for key, column in columns.figures.items()},
            **{key: figure_texts(column, ERROR_DIGITS) for key, column in columns.standard.items()},
            **{key: _known_texts(column) for key, column in optional.items()},
            **({} if columns.samples is None else {"samples": figure_texts(columns.samples)}),
            **split_texts(self._components, columns.exclusive_by, columns.inclusive_by),
        }
        return objects(fields, first=map(self.name, columns.method.tolist()))


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


def node_lines(ids: NDArray[np.integer[Any]], nodes: Nodes, components: Sequence[str]) -> Iterator[str]:
    """Return a line for each node, with its id in its call tree. Lines have components if there are at least two.

    Raises `ValueError` for a figure that isn't finite.
    """
    columns = {"id": ids, **dict(zip(_NODE, nodes.columns, strict=True))}
    if nodes.samples is not None:
        columns["samples"] = nodes.samples
    figures = {key: figure_texts(column) for key, column in columns.items()}
    return objects({**figures, **split_texts(components, nodes.exclusive_by, nodes.inclusive_by)})


def split_texts(components: Sequence[str], *joules: F64) -> dict[str, Iterable[str]]:
    """Return the fields that split energies by component (rows × components). None for a single component."""
    if len(components) < 2:
        return {}
    by_component = ({name: figure_texts(column) for name, column in zip(components, each.T, strict=True)} for each in joules)
    return {key: objects(texts) for key, texts in zip(_SPLIT, by_component, strict=True)}


def figure_texts(column: NDArray[np.number[Any]], digits: int = DIGITS) -> Iterable[str]:
    """Return figures as JSON: with so many significant digits or all before the point, and with up to 22 decimal places.

    Raises `ValueError` for a figure that isn't finite.
    """
    if not column.any():
        return repeat("0.0" if column.dtype.kind == "f" else "0", len(column))
    if column.dtype.kind == "f":
        if not np.isfinite(column).all():
            raise ValueError(NOT_FINITE)
        sizes = np.abs(column)
        exponents = np.floor(np.log10(sizes, where=sizes > 0, out=np.zeros(len(sizes)))).astype(np.int64)
        # A quotient of an integer and an exact power of ten is the number that is closest to the rounded decimal.
        powers = _POWERS[np.clip(digits - 1 - exponents, 0, len(_POWERS) - 1)]
        column = np.rint(column * powers) / powers
    return _split(orjson.dumps(np.ascontiguousarray(column), option=orjson.OPT_SERIALIZE_NUMPY))


def _known_texts(column: F64) -> Texts:
    """Return figures as JSON, None for NaN."""
    unknown = np.flatnonzero(np.isnan(column))
    texts: list[str | None] = list(figure_texts(np.nan_to_num(column, nan=0.0, posinf=np.inf, neginf=-np.inf)))
    for row in unknown.tolist():
        texts[row] = None
    return texts


def value_texts(values: Iterable[float | None]) -> list[str | None]:
    """Return figures as JSON with all their digits, None for None. Raises `ValueError` for a figure that isn't finite."""
    figures = list(values)
    if not isfinite(sum(value for value in figures if value is not None)):
        raise ValueError(NOT_FINITE)
    return [None if text == "null" else text for text in _split(orjson.dumps(figures))]


def _split(array: bytes) -> list[str]:
    return array[1:-1].decode().split(",") if len(array) > 2 else []


def objects(columns: Mapping[str, Texts], *, first: Iterable[str] | None = None) -> Iterator[str]:
    """Yield an object for each row, from texts by key. `first` are fields without braces that come before all others."""
    return rows_of(columns, first=first, begin="{", end="}")


def rows_of(columns: Mapping[str, Texts], *, first: Iterable[str] | None = None, begin: str = "", end: str = "") -> Iterator[str]:
    """Yield the fields of each row, between `begin` and `end`. The first column has all its texts."""
    pieces: list[Iterable[str]] = [repeat(begin)]
    if first is not None:
        pieces.append(first)
    for number, (key, texts) in enumerate(columns.items()):
        before = f"{', ' if number or first is not None else ''}{line(key)}: "
        if isinstance(texts, list) and None in texts:
            pieces.append(["" if text is None else before + text for text in texts])
        else:
            pieces += [repeat(before), cast(Iterable[str], texts)]
    # To join pieces takes half the time of a template, and to encode a column at once a fifth of the time of its figures.
    return map("".join, zip(*pieces, repeat(end)))


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

"""Growing tables. Columns grow in place and have narrow types, so a long trace is in memory only once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import Bool

Piece = Mapping[str, NDArray[Any] | int]
Thin = Callable[[Mapping[str, NDArray[Any]]], Bool]
"""Selects the rows of a table to keep."""

_STAGED = 1 << 12
_THINNED_FROM = 1 << 20
# Spare capacity: a sixteenth of the size, plus a constant.
_SPARE_SHIFT, _SPARE = 4, 256


class GrowingRows:
    """A table that grows by arrays and single rows. From a million rows on, `thin` occasionally drops redundant rows."""

    def __init__(self, thin: Thin | None = None, /, **dtypes: type[np.generic]) -> None:
        self._dtypes = dtypes
        self._columns = _Columns(dtypes)
        self._thin, self._thin_at = thin, _THINNED_FROM
        self._staged: list[tuple[int, ...]] = []

    def add(self, **columns: NDArray[Any] | int) -> None:
        """Append rows. A single number is the value of all rows of the piece."""
        self._flush()
        self._put(columns)

    def row(self, **columns: int) -> None:
        """Append one row."""
        self._staged.append(tuple(columns[name] for name in self._dtypes))
        if len(self._staged) == _STAGED:
            self._flush()

    def take(self) -> dict[str, NDArray[Any]]:
        """Return the whole columns and give up their ownership."""
        self._flush()
        return {name: self._columns.take(name) for name in self._dtypes}

    def _flush(self) -> None:
        if self._staged:
            staged, self._staged = self._staged, []
            whole = np.array(staged, np.int64)
            self._put({name: whole[:, i] for i, name in enumerate(self._dtypes)})

    def _put(self, piece: Piece) -> None:
        self._columns.append(piece)
        if self._thin and self._columns.size >= self._thin_at:
            self._columns.keep(self._thin)
            self._thin_at = max(_THINNED_FROM, 2 * self._columns.size)


class CoreRows(GrowingRows):
    """A table with columns `cpu` and `t_ns`. Stores each core's rows separately, because they arrive nearly in time order.

    With `min_gap_ns`, keeps only a core's first row in each stretch of this length.
    """

    def __init__(self, min_gap_ns: int = 0, /, **dtypes: type[np.generic]) -> None:
        super().__init__(None, cpu=np.int32, t_ns=np.int64, **dtypes)
        self._own = {name: dtype for name, dtype in self._dtypes.items() if name != "cpu"}
        self._min_gap_ns = min_gap_ns
        self._cores: dict[int, _Columns] = {}
        self._stretch: dict[int, int] = {}

    def take(self) -> dict[str, NDArray[Any]]:
        """Return the whole columns by core, then time, and give up their ownership. Rows with equal times keep their order."""
        self._flush()
        cores = [self._cores[cpu] for cpu in sorted(self._cores)]
        for core in cores:
            core.sort_by_time()
        # Join column by column, and free each core's column immediately.
        joined = {name: _joined(cores, name, dtype) for name, dtype in self._own.items()}
        cpu = np.repeat(np.array(sorted(self._cores), np.int32), [core.size for core in cores])
        return {"cpu": cpu, **joined}

    def _put(self, piece: Piece) -> None:
        cpu = piece["cpu"]
        if not isinstance(cpu, np.ndarray):
            self._put_of(cpu, piece)
        elif len(cpu):
            order = np.argsort(cpu.astype(np.int16), kind="stable")
            ordered = {name: column[order] for name, column in piece.items() if isinstance(column, np.ndarray)}
            of = ordered["cpu"]
            bounds = [0, *(np.flatnonzero(of[1:] != of[:-1]) + 1).tolist(), len(of)]
            for low, high in pairwise(bounds):
                part = {name: column[low:high] for name, column in ordered.items()}
                self._put_of(int(of[low]), {**piece, **part})

    def _put_of(self, cpu: int, piece: Piece) -> None:
        core = self._cores.get(cpu)
        if core is None:
            core = self._cores[cpu] = _Columns(self._own)
        t_ns = piece["t_ns"]
        if self._min_gap_ns and isinstance(t_ns, np.ndarray) and len(t_ns):
            stretch = t_ns // self._min_gap_ns
            first = stretch != np.concatenate(([self._stretch.get(cpu, -1)], stretch[:-1]))
            self._stretch[cpu] = int(stretch[-1])
            piece = {name: column[first] if isinstance(column, np.ndarray) else column for name, column in piece.items()}
        core.append(piece)


class _Columns:
    """Arrays with spare capacity."""

    def __init__(self, dtypes: Mapping[str, type[np.generic]]) -> None:
        self._columns: dict[str, NDArray[Any]] = {name: np.empty(0, dtype) for name, dtype in dtypes.items()}
        self.size = 0

    def append(self, piece: Piece) -> None:
        end = self.size + next((len(column) for column in piece.values() if isinstance(column, np.ndarray)), 1)
        for name, column in self._columns.items():
            if end > len(column):
                # realloc moves large arrays by page tables instead of copying them.
                column.resize(end + (end >> _SPARE_SHIFT) + _SPARE, refcheck=False)
            column[self.size : end] = piece[name]
        self.size = end

    def keep(self, thin: Thin) -> None:
        """Drop the rows that `thin` does not select."""
        kept = thin({name: column[: self.size] for name, column in self._columns.items()})
        count = int(np.count_nonzero(kept))
        for column in self._columns.values():
            column[:count] = column[: self.size][kept]
        self.size = count

    def sort_by_time(self) -> None:
        """Sort rows by time. Rows with equal times keep their order."""
        t_ns = self._columns["t_ns"][: self.size]
        if np.any(t_ns[1:] < t_ns[:-1]):
            order = np.argsort(t_ns, kind="stable")
            for column in self._columns.values():
                column[: self.size] = column[: self.size][order]

    def take(self, name: str) -> NDArray[Any]:
        """Return one column and give up its ownership."""
        column = self._columns.pop(name)
        column.resize(self.size, refcheck=False)
        return column


def _joined(cores: Sequence[_Columns], name: str, dtype: type[np.generic]) -> NDArray[Any]:
    whole = np.empty(sum(core.size for core in cores), dtype)
    end = 0
    for core in cores:
        whole[end : end + core.size] = core.take(name)
        end += core.size
    return whole

"""Losses in a text trace. After `CPU:2 [LOST 34 EVENTS]`, the core's events are missing between its previous and next event."""

from __future__ import annotations

import numpy as np

from navitas.parse.trace.lines import TraceLines
from navitas.parse.trace.trace_builder import CPU_LIMIT, TraceBuilder
from navitas.parse.trace.trace_tables import UNKNOWN


class TextLosses:
    """Converts the positions of such lines to time spans, over several blocks."""

    def __init__(self, into: TraceBuilder) -> None:
        self._into = into
        self._last_at = np.full(CPU_LIMIT, UNKNOWN, np.int64)
        self._open: dict[int, int] = {}
        self._begin_ns: int | None = None

    def block(self, lines: TraceLines, lost: list[tuple[int, int]]) -> None:
        """Add a block's events, and the (line, core) of each such line in order."""
        if self._begin_ns is None and len(lines.t_ns):
            self._begin_ns = int(lines.t_ns.min())
        if not lost and not self._open:
            self._last_at[lines.cpu] = lines.t_ns
            return
        lost_lines: dict[int, list[int]] = {}
        for line, cpu in lost:
            lost_lines.setdefault(cpu, []).append(line)
        for cpu in np.unique(lines.cpu).tolist():
            of_cpu = np.flatnonzero(lines.cpu == cpu)
            row, t_ns = lines.row[of_cpu], lines.t_ns[of_cpu]
            if cpu in self._open:
                self._into.losses.row(cpu=cpu, from_ns=self._open.pop(cpu), to_ns=int(t_ns[0]))
            for at in np.unique(np.searchsorted(row, lost_lines.pop(cpu, []))).tolist():
                from_ns = int(t_ns[at - 1]) if at else self._before(cpu, int(t_ns[0]))
                if at < len(t_ns):
                    self._into.losses.row(cpu=cpu, from_ns=from_ns, to_ns=int(t_ns[at]))
                else:
                    self._open[cpu] = from_ns
            self._last_at[cpu] = t_ns[-1]
        for cpu in lost_lines:
            self._open.setdefault(cpu, self._before(cpu, 0))

    def _before(self, cpu: int, otherwise: int) -> int:
        begin = self._begin_ns if self._begin_ns is not None else otherwise
        return int(self._last_at[cpu]) if cpu < CPU_LIMIT and self._last_at[cpu] != UNKNOWN else begin

    def close(self) -> None:
        """End the trace. Losses without a next event last until the end of the trace."""
        for cpu, from_ns in self._open.items():
            end_ns = self._into.span_ns[1] if self._into.span_ns else from_ns
            self._into.losses.row(cpu=cpu, from_ns=from_ns, to_ns=max(from_ns, end_ns))

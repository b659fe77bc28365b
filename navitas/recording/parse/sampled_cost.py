"""The cost of a call's probes, from samples on the measured threads (parse/calibration.py finds them)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from navitas.recording.parse.arrays import I64, Bool

_FEW, _MANY = 16, 64
_LEAST = 30
_TRIM = 0.1
_PARTS = 8


@dataclass(frozen=True, slots=True)
class ProbeSamples:
    """Samples in time order: the number of calls with probes, ns from the outer call's entry to its exit, and the thread."""

    t_ns: I64
    calls: I64
    whole_ns: I64
    serial: I64

    def cost(self) -> tuple[float, float] | None:
        """Return ns per call and its standard deviation over the run, or None if there are too few samples."""
        call_ns = self.per_call(slice(None))
        if call_ns is None or call_ns <= 0:
            return None
        edges = np.linspace(0, len(self.t_ns), _PARTS + 1).astype(int).tolist()
        parts = [self.per_call(slice(first, last), _LEAST // 3) for first, last in pairwise(edges)]
        return call_ns, float(np.std([part for part in parts if part is not None] or [call_ns]))

    def per_call(self, part: slice | Bool, least: int = _LEAST) -> float | None:
        """Return ns per call of some samples, or None if there are too few of them."""
        few, many = (self.whole_ns[part][self.calls[part] == calls] for calls in (_FEW, _MANY))
        return (_trimmed(many) - _trimmed(few)) / (_MANY - _FEW) if min(len(few), len(many)) >= least else None


NO_SAMPLES = ProbeSamples(*np.empty((4, 0), np.int64))


def _trimmed(values: I64) -> float:
    """Return the mean without the smallest and largest tenth, because threads are sometimes preempted."""
    cut = int(len(values) * _TRIM)
    return float(np.sort(values)[cut : len(values) - cut].mean())

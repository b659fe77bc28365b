"""Tables of the calls of APIs that use a component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.calls.paths import PROBES
from navitas.recording.parse.arrays import I64, Bool, ColumnTable

_NO_TIMES = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class ApiSpans(ColumnTable):
    """Time in which a call of an API was innermost: `busy_ns` between `start_ns` and `end_ns`.

    With events, a span is busy all the time. With folded calls, a span is an epoch. `kind` is a `HookKind`. `t_ns` is the time at
    which the call counts: its start; of folded calls the end of their epoch, as for their number.
    """

    thread: I64
    t_ns: I64
    start_ns: I64
    end_ns: I64
    busy_ns: I64
    path: I64
    kind: I64


@dataclass(frozen=True, slots=True)
class ApiCalls:
    """A run's calls of APIs. `hook_path` is the call path of each row of `RunTables.hooks`.

    `spans` are all calls of APIs in the call trees, with or without a hook's record. `path_method` and `path_parent` are the
    columns of `Paths`: the last method of each path, and the path of its caller.
    """

    hook_path: I64
    spans: ApiSpans
    path_method: I64
    path_parent: I64
    is_api: Bool
    """Whether each method is an API's."""
    labels: Sequence[str] = ()
    """A name of each method for messages, with file and line."""

    def caller(self, path: int) -> int:
        """The row of the app's method that made the call with this path; -1 if it is unknown."""
        while path > PROBES:
            method = int(self.path_method[path])
            if method < len(self.labels) and not (method < len(self.is_api) and self.is_api[method]):
                return method
            path = int(self.path_parent[path])
        return -1

    def caller_label(self, path: int) -> str:
        """The label of `caller`; empty if it is unknown."""
        method = self.caller(path)
        return self.labels[method] if method >= 0 else ""


NO_SPANS = ApiSpans(*(_NO_TIMES,) * 7)
NO_API_CALLS = ApiCalls(_NO_TIMES, NO_SPANS, np.zeros(1, np.int64), np.full(1, -1), np.zeros(0, bool))

"""Tables of runs with some fields set, whichever part of the run they belong to."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.tables import RunTables

_PARTS = ("calls", "cpu", "devices", "app")


def changed(run: RunTables, **values: Any) -> RunTables:
    """Replace fields of a run and of its parts."""
    for part in _PARTS:
        tables = getattr(run, part)
        own = {field.name: values.pop(field.name) for field in fields(tables) if field.name in values}
        run = replace(run, **{part: replace(tables, **own)})
    return replace(run, **values)


def realtime_ahead(offset_ns: int) -> ClockTriples:
    """Return clocks that read realtime and monotonic once, at the time 0 of monotonic."""
    return ClockTriples(np.zeros(1, np.int64), np.full(1, -1), np.full(1, offset_ns))

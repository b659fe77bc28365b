"""Other ways to give energy to methods, for comparison: E-MANAFA's rule, with a perfect meter."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from truth.energy import Curve, Energy
from truth.methods import MethodTruth, walk
from truth.record import Record


def averaged_current(record: Record, energy: Energy, interval_ns: int) -> dict[str, MethodTruth]:
    """E-MANAFA's rule: a call costs the device's mean power over its wall time × its wall time, whatever else runs meanwhile.

    The meter here is exact and reads the CPU alone, every `interval_ns`; the real one estimates the whole device's current.
    """
    start_ns, end_ns = record.window
    times = np.append(np.arange(0, record.end_ns, interval_ns), record.end_ns)
    meter = Curve(times, energy.cpu.at(times))
    methods: defaultdict[str, MethodTruth] = defaultdict(MethodTruth)
    for thread in record.threads:
        if thread.app:
            walk(thread, meter.at(np.clip([event[0] for event in thread.events], start_ns, end_ns)), methods)
    return dict(methods)

"""Other rules that attribute energy to methods, for comparison: E-MANAFA's rule, with an exact meter."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from truth.energy import Curve, Energy
from truth.methods import MethodTruth, walk
from truth.record import Record


def averaged_current(record: Record, energy: Energy, interval_ns: int) -> dict[str, MethodTruth]:
    """E-MANAFA's rule: a call's energy is the device's mean power during the call × its wall time, regardless of other threads.

    This meter is exact and measures only the CPU, every `interval_ns`. The real one estimates the current of the device.
    """
    start_ns, end_ns = record.window
    times = np.append(np.arange(0, record.end_ns, interval_ns), record.end_ns)
    meter = Curve(times, energy.cpu.at(times))
    methods: defaultdict[str, MethodTruth] = defaultdict(MethodTruth)
    for thread in record.threads:
        if thread.app:
            walk(thread, meter.at(np.clip([event[0] for event in thread.events], start_ns, end_ns)), methods)
    return dict(methods)

"""The exact energy of a run, integrated between all changes (AOSP's CPU model; shared power is divided equally)."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truth.physics import Chip, Hidden
from truth.record import Record
from truth.work import Thread

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
_SWITCH, _FREQUENCY = 0, 1


@dataclass(frozen=True, slots=True)
class Curve:
    """Cumulative joules at times, linear in between."""

    t_ns: I64
    energy_j: F64

    def at(self, t_ns: ArrayLike) -> F64:
        """Cumulative joules at a time."""
        if not len(self.t_ns):
            return np.zeros(np.shape(t_ns))
        return np.asarray(np.interp(np.asarray(t_ns, np.float64), self.t_ns, self.energy_j), np.float64)

    def between(self, a_ns: int, b_ns: int) -> float:
        """Joules from time a to time b."""
        low, high = self.at([a_ns, b_ns])
        return float(high - low)


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy of each thread and of all threads, base power in watts, and `temperature_c` at the end."""

    threads: dict[Thread, Curve]
    cpu: Curve
    base_w: float
    temperature_c: float


def integrate(record: Record, hidden: Hidden | None = None) -> Energy:
    """Integrate over all switches and frequencies. Running cores share `cpu.active`, and those of a cluster its power."""
    phone = record.phone
    volt = phone.voltage_v / 1e3
    core_w = [[ma * volt for ma in cluster.core_ma] for cluster in phone.clusters]
    cluster_w = [cluster.cluster_ma * volt for cluster in phone.clusters]
    active_w, cluster_of = phone.active_ma * volt, phone.cluster_of
    chip = Chip(hidden)
    index = [0] * len(phone.clusters)
    running: dict[int, Thread] = {}
    joules: dict[Thread, float] = {}
    knots: dict[Thread, tuple[list[int], list[float]]] = {thread: ([], []) for thread in record.threads}
    all_t, all_j, total, before_ns = [0], [0.0], 0.0, 0
    changes: list[tuple[int, int, int, object]] = [(s.t_ns, _SWITCH, s.cpu, s.following) for s in record.switches]
    changes += [(t_ns, _FREQUENCY, k, j) for t_ns, k, j in record.frequencies]
    changes.append((record.end_ns, _SWITCH, -1, None))
    changes.sort(key=itemgetter(0))
    for t_ns, kind, place, value in changes:
        span_ns = t_ns - before_ns
        if span_ns:
            watts = 0.0
            if running:
                cores = [0] * len(index)
                for cpu in running:
                    cores[cluster_of[cpu]] += 1
                shared = [cluster_w[k] / n + active_w / len(running) if n else 0.0 for k, n in enumerate(cores)]
                for cpu, thread in running.items():
                    k = cluster_of[cpu]
                    power = core_w[k][index[k]] * chip.factor(thread.activity) + shared[k]
                    watts += power
                    times, values = knots[thread]
                    spent = joules.get(thread, 0.0)
                    if not times or times[-1] != before_ns:
                        times.append(before_ns)
                        values.append(spent)
                    joules[thread] = spent = spent + power * span_ns / 1e9
                    times.append(t_ns)
                    values.append(spent)
            chip.warm(span_ns, watts)
            total += watts * span_ns / 1e9
            all_t.append(t_ns)
            all_j.append(total)
            before_ns = t_ns
        if kind == _FREQUENCY:
            assert isinstance(value, int)
            index[place] = value
        elif isinstance(value, Thread):
            running[place] = value
        else:
            running.pop(place, None)
    threads = {thread: Curve(np.array(times, np.int64), np.array(values)) for thread, (times, values) in knots.items()}
    return Energy(threads, Curve(np.array(all_t), np.array(all_j)), phone.base_ma * volt, chip.temperature_c)

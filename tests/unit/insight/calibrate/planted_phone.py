"""Special test runs on the discrete-event phone (tests/truth), and what a power meter reads of them.

Threads are bound to cores, as by `taskset`. In each step, one cluster is loaded with one core or all cores, then all clusters
together, while the frequencies step through all operating points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from truth.cores import Core
from truth.energy import integrate
from truth.governor import Governor
from truth.machine import Machine
from truth.phone import Phone
from truth.placement import Placement
from truth.record import Record
from truth.recorder import write_recording
from truth.samples import REAL_OFFSET_NS, T0_NS
from truth.work import Here, Mark, Program, Run, Sleep, Thread

STEP_NS = 400_000_000
READINGS_PER_S = 100


class _SteppingGovernor(Governor):
    """Steps through all operating points in turn, whatever the load."""

    def __init__(self, phone: Phone, k: int, cores: Sequence[Core], steps_each: int) -> None:
        self._points, self._steps_each = len(phone.clusters[k].freq_khz), steps_each
        super().__init__(phone, k, cores)

    def update(self, now_ns: int) -> bool:
        index = now_ns // (STEP_NS * self._steps_each) % self._points
        if index == self.index:
            return False
        self.index = index
        self._apply()
        return True


class _BoundPlacement(Placement):
    """Threads with the name of a CPU run on it; others run on CPU 0."""

    def on_wake(self, thread: Thread, now_ns: int) -> Core:
        return self.cores[int(thread.name.removeprefix("cpu")) if thread.name.startswith("cpu") else 0]

    def to_pull(self, core: Core) -> None:
        return None

    def bigger_for(self, core: Core) -> None:
        return None


class _BoundMachine(Machine):
    def __init__(self, phone: Phone, steps_each: int) -> None:
        super().__init__(phone)
        self._governors = [_SteppingGovernor(phone, k, self._cores, steps_each) for k in range(len(phone.clusters))]
        self._placement = _BoundPlacement(self._cores)


def loads_of(phone: Phone) -> list[tuple[int, ...]]:
    """The busy CPUs of each step: none, one and all of each cluster, one of each, all."""
    clusters = [cluster.cpus for cluster in phone.clusters]
    loads: list[tuple[int, ...]] = [()]
    for cpus in clusters:
        loads += [cpus[:1], cpus]
    return [*loads, tuple(cpus[0] for cpus in clusters), tuple(cpu for cpus in clusters for cpu in cpus)]


def special_run(phone: Phone) -> Record:
    """Run all loads at each operating point of the cluster with most of them."""
    loads = loads_of(phone)
    steps = len(loads) * max(len(cluster.freq_khz) for cluster in phone.clusters)
    threads = [
        Thread(f"cpu{cpu}", _bound([cpu in loads[step % len(loads)] for step in range(steps)]))
        for cpu in range(len(phone.cluster_of))
    ]
    return _BoundMachine(phone, len(loads)).run([Thread("test", _test(steps)), *threads])


def _test(steps: int) -> Program:
    yield Mark("test_start")
    yield Sleep(steps * STEP_NS)
    yield Mark("test_finish")


def _bound(busy: Sequence[bool]) -> Program:
    """Keep the CPU busy in some steps. The work is short, so that it ends with its step at any frequency."""
    for step, is_busy in enumerate(busy):
        while True:
            _, now_ns = yield Here()
            left_ns = (step + 1) * STEP_NS - now_ns
            if left_ns <= 0:
                break
            yield Run(min(left_ns, 1e6)) if is_busy else Sleep(left_ns)


def meter_csv(phone: Phone, record: Record, *, noise: float, seed: int = 0) -> str:
    """Power of the whole phone, its base included, as CSV with UNIX times. Each reading has this relative noise."""
    energy = integrate(record)
    edges_ns = np.arange(0, record.end_ns, round(1e9 / READINGS_PER_S))
    power_w = np.diff(energy.cpu.at(edges_ns)) * READINGS_PER_S + energy.base_w
    power_w *= 1 + np.random.default_rng(seed).normal(0, noise, len(power_w))
    middle_s = (edges_ns[:-1] + edges_ns[1:]) / 2e9 + (T0_NS + REAL_OFFSET_NS) / 1e9
    return "".join(_lines(middle_s, power_w))


def _lines(times_s: np.ndarray, power_w: np.ndarray) -> Iterator[str]:
    yield "unix_s,power_w\n"
    for t_s, watts in zip(times_s.tolist(), power_w.tolist(), strict=True):
        yield f"{t_s:.6f},{watts:.9f}\n"


def planted(folder: Path, phone: Phone, profile: Phone, *, noise: float) -> tuple[Path, Path]:
    """Write a recording with a mistaken profile, and the readings of a meter. Returns both paths."""
    record = special_run(phone)
    recording, meter = folder / "recording", folder / "meter.csv"
    write_recording(recording, record, profile, interval_ns=100_000_000)
    meter.write_text(meter_csv(phone, record, noise=noise))
    return recording, meter

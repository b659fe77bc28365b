"""Samples of stacks as profilers take them, and their text as `perf script` writes it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

import numpy as np
from numpy.random import Generator, default_rng

from truth.counters import I64, Counters
from truth.record import Record
from truth.work import Thread

ROOT = "start_thread"
"""The outermost frame of all threads. What a thread does outside of calls is its self time."""


@dataclass(frozen=True, slots=True)
class StackSample:
    """A thread's methods at a time, from the outermost one."""

    t_ns: int
    thread: Thread
    methods: tuple[str, ...]


Timer = Callable[[Generator, int, float], I64]
"""The times up to an end at which a timer with a period fires."""


def regular(random: Generator, end_ns: int, period_ns: float) -> I64:
    """One time in each period, from a random one on."""
    return np.arange(random.uniform(0, period_ns), end_ns, period_ns).astype(np.int64)


def at_random(random: Generator, end_ns: int, period_ns: float) -> I64:
    """Times that do not depend on each other, as in a Poisson process."""
    return np.sort(random.integers(0, end_ns, random.poisson(end_ns / period_ns)))


def from_start(_: Generator, end_ns: int, period_ns: float) -> I64:
    """One time at the end of each period since the start."""
    return np.arange(period_ns, end_ns, period_ns).astype(np.int64)


def sampled_by_cores(record: Record, period_ns: float, seed: int, timer: Timer = regular) -> list[StackSample]:
    """The samples if each core has a timer, and its thread is sampled, as by Perfetto's `linux.perf` or `perf record -a`."""
    random = default_rng(seed)
    switches = sorted(record.switches, key=attrgetter("cpu", "t_ns"))
    times: dict[Thread, list[I64]] = {}
    for _, of_core in groupby(switches, attrgetter("cpu")):
        own = list(of_core)
        fired = timer(random, record.end_ns, period_ns)
        edges = np.searchsorted(fired, [switch.t_ns for switch in own] + [record.end_ns])
        for switch, low, high in zip(own, edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            if switch.following is not None and high > low:
                times.setdefault(switch.following, []).append(fired[low:high])
    return _samples(record, {thread: np.concatenate(own) for thread, own in times.items()})


def sampled_by_threads(record: Record, period_ns: float, seed: int, timer: Timer = regular) -> list[StackSample]:
    """The samples if each thread has a timer of its CPU time, as async-profiler and `perf record PROGRAM` have."""
    random, counters = default_rng(seed), Counters(record)
    times = {}
    for thread in record.threads:
        ran = counters.running(thread)
        fired = timer(random, int(ran.before_ns[-1]), period_ns)
        times[thread] = ran.at(fired)
    return _samples(record, times)


def perf_script(samples: list[StackSample], pid: int, t0_ns: int, period_ns: float | None) -> str:
    """The text of `perf script`, on CLOCK_MONOTONIC, with a period if there is one. Methods are in the map of a JVM's code."""
    stacks: dict[tuple[str, ...], str] = {}
    lines, period = [], "" if period_ns is None else f"{round(period_ns)} "
    for sample in sorted(samples, key=attrgetter("t_ns")):
        if (stack := stacks.get(sample.methods)) is None:
            stack = stacks[sample.methods] = "".join(map(_frame, reversed(sample.methods)))
        thread, t_ns = sample.thread, sample.t_ns + t0_ns
        time = f"{t_ns // 10**9}.{t_ns % 10**9:09d}"
        lines.append(f"{thread.name[:15]} {pid}/{thread.tid} {time}: {period}cpu-clock:\n{stack}\n")
    return "".join(lines)


def _frame(method: str) -> str:
    class_name, _, name = method.partition("#")
    if not name:
        return f"\t7f0000001000 {method} (/apex/libc.so)\n"
    return f"\t7f0000002000 L{class_name.replace('.', '/')};::{name} (/tmp/perf-4000.map)\n"


def _samples(record: Record, times: dict[Thread, I64]) -> list[StackSample]:
    return [
        StackSample(t_ns, thread, methods)
        for thread in record.threads
        if thread.app and thread in times
        for t_ns, methods in _stacks(thread, times[thread])
    ]


def _stacks(thread: Thread, times: I64) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the thread's methods at each time."""
    event_ns = [event[0] for event in thread.events]
    stack, done = [ROOT], 0
    for t_ns in np.sort(times).tolist():
        until = bisect_right(event_ns, t_ns)
        thread.move_stack(stack, done, until)
        done = until
        yield t_ns, tuple(stack)

"""Errors of what ticks have split: how far a method's energy may be off by the chance of where the ticks fell."""

from __future__ import annotations

from dataclasses import replace
from math import fsum, hypot, sqrt

from navitas.attribute.result import MethodEnergy, TestEnergy, ThreadEnergy


def with_errors(test: TestEnergy, tick_ns: float) -> TestEnergy:
    """Give each method of a test its standard errors in joules, added to those of its probes' cost.

    `tick_ns` is the mean period that a moment falls into.
    """
    return replace(test, threads=tuple(_thread(thread, tick_ns) for thread in test.threads))


def _thread(thread: ThreadEnergy, tick_ns: float) -> ThreadEnergy:
    if not thread.methods or not thread.cpu_ns:
        return thread
    tick_j = tick_ns * thread.energy_j / thread.cpu_ns
    whole_j = fsum(method.exclusive_j for method in thread.methods)
    return replace(thread, methods=tuple(_method(method, whole_j, tick_j) for method in thread.methods))


def _method(method: MethodEnergy, whole_j: float, tick_j: float) -> MethodEnergy:
    return replace(
        method,
        inclusive_error_j=hypot(standard_error_j(method.inclusive_j, whole_j, tick_j), method.inclusive_error_j or 0.0),
        exclusive_error_j=hypot(standard_error_j(method.exclusive_j, whole_j, tick_j), method.exclusive_error_j or 0.0),
    )


def standard_error_j(part_j: float, whole_j: float, tick_j: float) -> float:
    """The error of a part n = part / tick of N = whole / tick draws: tick · √((n + ½)(N − n + ½) / (N + 1)).

    The binomial's, with half a draw added on either side, so that what no tick has found is not held to be exactly nothing.
    """
    if tick_j <= 0:
        return 0.0
    hits = max(part_j, 0.0) / tick_j
    misses = max(whole_j - part_j, 0.0) / tick_j
    return tick_j * sqrt((hits + 0.5) * (misses + 0.5) / (hits + misses + 1))

"""Waiting time by test, and the share of it that the app's own threads do not explain."""

from __future__ import annotations

import numpy as np
import pytest
from attribution_maker import manifest
from hypothesis import given
from hypothesis import strategies as st

from navitas.energy.attribute.dimensions import cpus_of, waits_of
from navitas.energy.attribute.window_spans import WindowSpans
from navitas.recording.manifest import HostInfo
from navitas.recording.parse.run_queue import RunQueue
from navitas.recording.parse.tables import Window

MS = 1_000_000


def queue(*points: tuple[float, float, float]) -> RunQueue:
    """Points are (ms, ran ms, waited ms), cumulative."""
    t, ran, waited = (np.array(column) * MS for column in zip(*points, strict=True))
    return RunQueue(t.astype(np.int64), ran, waited)


def spans(*windows: tuple[int, int]) -> WindowSpans:
    return WindowSpans([Window(i, a * MS, b * MS) for i, (a, b) in enumerate(windows)])


def waits(points: RunQueue, *windows: tuple[int, int], cpus: int = 2) -> list[tuple[float, float]]:
    found = waits_of(points, spans(*windows), cpus)
    return [(round(a / MS, 6), round(b / MS, 6)) for a, b in zip(*found, strict=True)]


def test_waiting_for_other_processes_is_starvation() -> None:
    assert waits(queue((0, 0, 0), (1000, 300, 700)), (0, 1000)) == [(700, 700)]


def test_waiting_for_the_apps_own_threads_is_not_starvation() -> None:
    assert waits(queue((0, 0, 0), (1000, 2000, 2000)), (0, 1000)) == [(2000, 0)]


def test_a_burst_of_own_threads_explains_only_its_own_waiting() -> None:
    burst_then_starved = queue((0, 0, 0), (500, 1000, 1500), (1000, 1100, 1900))
    assert waits(burst_then_starved, (0, 1000)) == [(1900, 400)]
    assert waits(burst_then_starved, (0, 500), (500, 1000)) == [(1500, 0), (400, 400)]


def test_each_test_has_its_own_waiting_time() -> None:
    points = queue((0, 0, 0), (250, 250, 0), (500, 300, 200), (900, 300, 200))
    assert waits(points, (0, 250), (250, 500), (600, 900), (900, 900)) == [(0, 0), (200, 200), (0, 0), (0, 0)]


def test_without_tests_there_are_no_waits() -> None:
    assert waits(queue((0, 0, 0), (100, 1, 1))) == []


@given(st.lists(st.tuples(st.integers(1, 10**9), st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=20))
def test_starved_time_never_exceeds_waiting_time(steps: list[tuple[int, int, int]]) -> None:
    t, ran, waited = np.cumsum([(0, 0, 0), *steps], axis=0).T
    end = int(t[-1])
    halves = WindowSpans([Window(0, 0, end // 2), Window(1, end // 2, end)])
    waited_ns, starved_ns = waits_of(RunQueue(t, ran.astype(float), waited.astype(float)), halves, 2)
    assert waited_ns.sum() == pytest.approx(float(waited[-1]), rel=1e-9)
    assert (starved_ns >= 0).all()
    assert (starved_ns <= waited_ns + 1e-3).all()


def test_a_virtual_phone_has_at_most_the_cpus_of_its_host() -> None:
    def cpus(kind: str, host: int | None) -> int:
        made = manifest()
        device = made.device.model_copy(update={"kind": kind})
        provenance = made.provenance.model_copy(update={"host": HostInfo(cpus=host)})
        return cpus_of(made.model_copy(update={"device": device, "provenance": provenance}))

    assert cpus_of(manifest()) == cpus("virtual", None) == 4, "the host is not known"
    assert (cpus("virtual", 2), cpus("virtual", 64)) == (2, 4)
    assert cpus("phone", 2) == 4

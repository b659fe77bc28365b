"""Energy of virtual threads: that of the threads that carry them, or unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.recording_maker import make_recording
from support.scenario import Call, MountSpec, Scenario, TestSpec, ThreadSpec

import navitas
from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.component import ThreadCurves
from navitas.energy.attribute.cpu.cpu_component import mounted
from navitas.energy.attribute.curves import Knots
from navitas.recording.parse.tables import Mounts

TEST = TestSpec("a.VirtualTest#waits", 5, 195)
PLATFORM = ThreadSpec("main", (Call("a.Work#spin", 10, 30),), busy=((10, 30, 1.0),))
CARRIERS = (
    ThreadSpec("worker-1", busy=((40, 90, 1.0),), cpu=1),
    ThreadSpec("worker-2", busy=((60, 80, 1.0),), cpu=2),
)
# It computes for 20 ms, waits, and computes for 20 ms on another carrier; both are calls of `spin`.
VIRTUAL = ThreadSpec(
    "",
    (Call("a.Work#handle", 40, 80, (Call("a.Work#spin", 40, 55), Call("a.Work#spin", 65, 80))),),
    busy=((40, 60, 1.0), (60, 80, 1.0)),
    mounts=(MountSpec("worker-1", 40, 60, is_seen=False), MountSpec("worker-2", 60, 80)),
)
# Its first mount ends with it, which is not recorded. Afterwards, its carrier does other work.
BRIEF = ThreadSpec(
    "brief", (Call("a.Work#spin", 60, 70),), busy=((60, 70, 1.0),), mounts=(MountSpec("worker-1", 60, 90, is_seen=False),)
)
ALL = (PLATFORM, VIRTUAL, *CARRIERS, BRIEF)


def profile_of(folder: Path, *threads: ThreadSpec) -> Profile:
    scenario = Scenario(200, threads, (TEST,))
    return navitas.load(make_recording(folder / "recording", scenario).path)


def cpu_ms(profile: Profile) -> dict[str, float]:
    return {thread.name: thread.cpu_ns / 1e6 for thread in profile.tests[0].threads if thread.role == "app"}


@pytest.mark.parametrize("folded", [False, True])
def test_a_mounted_thread_has_what_its_carrier_uses_meanwhile(tmp_path: Path, folded: bool) -> None:
    threads = [thread if thread in CARRIERS else replace(thread, folded=folded) for thread in ALL]
    profile = profile_of(tmp_path, *threads)
    assert cpu_ms(profile) == pytest.approx({"main": 20, "VirtualThread": 40, "brief": 10, "worker-1": 20}, abs=0.01)
    totals = {total.method.name: total for total in profile.method_totals()}
    assert totals["handle"].cpu_ns == pytest.approx(40e6) and totals["spin"].measured_calls == totals["spin"].calls == 4
    assert totals["spin"].cpu_ns == pytest.approx(60e6)
    assert not check(profile)
    assert "no_thread_cpu_time" not in {notice.code for notice in profile.warnings}


def test_an_end_that_was_not_seen_is_named_if_it_matters(tmp_path: Path) -> None:
    (reason,) = [one for one in profile_of(tmp_path, *ALL).evidence[0].reasons if one.code == "unseen_unmounts"]
    # Between the end of the first `spin` and the next mount, the carrier may have done other work.
    assert reason.share_max == pytest.approx(5 / 50, abs=0.01)


def test_a_thread_without_a_clock_has_no_figures_and_a_warning(tmp_path: Path) -> None:
    unknown = [replace(thread, mounts=()) if thread.mounts else thread for thread in ALL]
    profile = profile_of(tmp_path, *unknown)
    totals = {total.method.name: total for total in profile.method_totals()}
    spin = totals["spin"]
    assert (spin.calls, spin.measured_calls) == (4, 1)
    assert spin.inclusive_j_per_call == pytest.approx(spin.inclusive_j), "by the call that has energy"
    assert totals["handle"].known(totals["handle"].inclusive_j) is None and totals["handle"].inclusive_j_per_call is None
    (warning,) = [notice for notice in profile.warnings if notice.code == "no_thread_cpu_time"]
    wanted = "4 calls have no CPU energy: the CPU time of their threads is unknown (VirtualThread, brief). The threads that"
    assert warning.message.startswith(wanted)
    assert not check(profile)


def test_at_level_device_no_clock_is_needed(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, VIRTUAL)
    assert profile.evidence[0].level == "device"
    assert all(thread.measured for thread in profile.tests[0].threads)


@st.composite
def _cases(draw: st.DrawFn) -> tuple[ThreadCurves, Mounts, int]:
    """Curves of two carriers and three virtual threads, with random mounts that do not overlap."""
    owners, columns = 5, []
    for owner in range(2):
        times = sorted(draw(st.sets(st.integers(0, 100), min_size=1, max_size=12)))
        steps = draw(st.lists(st.floats(0, 5), min_size=len(times), max_size=len(times)))
        columns += [(owner, t, joules) for t, joules in zip(times, np.cumsum(steps), strict=True)]
    columns += [(owner, 0, 0.0) for owner in range(2, owners)]
    owner, t_ns, joules = (np.array(column) for column in zip(*columns, strict=True))
    knots = Knots.from_columns(owner.astype(np.int64), t_ns.astype(np.int64), owners)
    edges = sorted(draw(st.sets(st.integers(0, 110), max_size=10)))
    spans = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    rows = sorted((draw(st.integers(0, 1)), a, b, draw(st.integers(2, 4))) for a, b in spans)
    carrier, start, end, thread = (np.array([row[i] for row in rows], np.int64) for i in range(4))
    return ThreadCurves(knots, joules.astype(float), 2 * joules), Mounts(carrier, thread, start, end), draw(st.integers(-5, 120))


@given(_cases())
def test_the_sum_of_all_curves_stays_and_each_thread_has_its_mounts(case: tuple[ThreadCurves, Mounts, int]) -> None:
    before, mounts, t_ns = case
    after = mounted(before, mounts)

    def grown(curves: ThreadCurves, owner: int, low: int, high: int) -> float:
        at = np.array([owner, owner]), np.array([low, high])
        first, last = curves.knots.place(*at).read(curves.energy_j).tolist()
        return float(last - first)

    wanted = [grown(before, owner, -10, t_ns) for owner in range(5)]
    for carrier, thread, start, end in zip(mounts.carrier, mounts.thread, mounts.start_ns, mounts.end_ns, strict=True):
        moved = grown(before, carrier, min(start, t_ns), min(end, t_ns))
        wanted[carrier] -= moved
        wanted[thread] += moved
    assert [grown(after, owner, -10, t_ns) for owner in range(5)] == pytest.approx(wanted, abs=1e-9)
    assert after.cpu_ns is not None and after.cpu_ns == pytest.approx(2 * after.energy_j)

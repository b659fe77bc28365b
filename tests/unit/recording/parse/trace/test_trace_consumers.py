"""Energy consumers of a Perfetto trace: totals, and what each used for each uid."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support import perfetto_writer as pw
from support.perfetto_writer import PerfettoWriter

from navitas.android.perfetto.messages import message_class
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.trace.join import Process, to_monotonic
from navitas.recording.parse.trace.perfetto import read_perfetto

MS = 1_000_000
BOOT = 5_000_000 * MS
APP, OTHER = 10_190, 10_234


def _trace() -> PerfettoWriter:
    """As traced_probes writes it: the descriptors in a packet of their own, then one packet for each consumer and poll."""
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000)
    trace.tree({500: "app"}, [(500, 500, "app")], uids={500: APP})
    trace.bundle(
        0, [pw.switch(BOOT + MS, ("swapper/0", 0, 0), ("app", 500)), pw.switch(BOOT + 900 * MS, ("app", 500, 1), ("b", 0))]
    )
    trace.consumers([(0, "CPU_CLUSTER", "CPUCL0"), (3, "OTHER", "GPU")], None, 0, {}, None)
    trace.consumers([], 0, 98_567_522, {}, BOOT + 10 * MS)
    trace.consumers([], 3, 3_362_149, {APP: 2_000_000, OTHER: 1_349}, BOOT + 10 * MS)
    trace.consumers([], 0, 99_567_522, {}, BOOT + 260 * MS)
    trace.consumers([], 3, 3_862_149, {APP: 2_400_000, OTHER: 1_349}, BOOT + 260 * MS)
    return trace


def test_consumers_and_uids_are_read() -> None:
    raw = read_perfetto(bytes(_trace()))
    found = raw.trace.consumers
    assert raw.skipped == () and found is not None
    assert (found.names, found.kinds) == (("CPUCL0", "GPU"), ("CPU_CLUSTER", "OTHER"))
    assert (found.t_ns - BOOT).tolist() == [10 * MS, 260 * MS]
    assert np.allclose(np.diff(found.energy_j, axis=0), [[1.0, 0.5]])
    rows = list(zip(found.uid_consumer.tolist(), found.uid.tolist(), found.uid_energy_j.tolist(), strict=True))
    assert rows == [(1, APP, 2.0), (1, OTHER, 0.001349), (1, APP, 2.4), (1, OTHER, 0.001349)]


def test_consumers_join_the_runs_clock_and_name_the_app() -> None:
    raw = read_perfetto(bytes(_trace()))
    clocks = ClockTriples(*(np.array([t]) for t in (BOOT - 70, BOOT, 1_700_000_000_000_000_000)))
    process = Process({500})
    trace = to_monotonic(raw, clocks, process, (BOOT - 70, BOOT + 1000 * MS)).trace
    assert trace is not None and trace.consumers is not None
    assert (trace.consumers.t_ns - BOOT + 70).tolist() == [10 * MS, 260 * MS]
    assert process.uid(trace) == APP and Process({4242}).uid(trace) is None and Process({4242}, 500).uid(trace) == APP


def test_readings_without_a_time_or_beyond_limits_are_left_out() -> None:
    trace = PerfettoWriter()
    trace.consumers([(i, "OTHER", f"c{i}") for i in range(300)], 0, 5, {}, None)
    for consumer in range(300):
        trace.consumers([], consumer, 1_000_000, {1 << 31: 5, -1 & 0xFFFFFFFF: 7}, BOOT)
    raw = read_perfetto(bytes(trace))
    assert raw.skipped_by_reason == {"readings of energy consumers have no time, or one of an unknown clock": 1}
    found = raw.trace.consumers
    assert found is not None and len(found.names) == 256 and found.names[255] == "c255"
    assert raw.warnings == (
        "512 readings of energy consumers were left out (an impossible app or energy)",
        "44 readings of energy consumers were left out (beyond the first 256 consumers)",
    )


def test_a_trace_without_consumers_has_none() -> None:
    assert read_perfetto(bytes(_without())).trace.consumers is None


def _without() -> PerfettoWriter:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT, BOOT)
    return trace


@given(st.binary(max_size=200), st.one_of(st.none(), st.integers(0, (1 << 63) - 1)))
def test_damaged_breakdowns_never_raise(body: bytes, t_ns: int | None) -> None:
    trace = _without()
    trace.packet(pw.content(77, body), t_ns=t_ns)
    read_perfetto(bytes(trace))


@given(
    st.integers(-(1 << 31), (1 << 31) - 1),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.integers(-(1 << 31), (1 << 31) - 1),
    st.integers(-(1 << 63), (1 << 63) - 1),
)
def test_any_figures_are_read_or_left_out(consumer: int, energy: int, uid: int, spent: int) -> None:
    packet = message_class("TracePacket")(timestamp=BOOT)
    packet.android_energy_estimation_breakdown.energy_consumer_id = consumer
    packet.android_energy_estimation_breakdown.energy_uws = energy
    packet.android_energy_estimation_breakdown.per_uid_breakdown.add(uid=uid, energy_uws=spent)
    trace = _without()
    trace.packet(packet.SerializeToString())
    found = read_perfetto(bytes(trace)).trace.consumers
    assert found is None or ((found.energy_j >= 0).all() and (found.uid_energy_j >= 0).all())

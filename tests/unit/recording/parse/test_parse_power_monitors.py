"""Readings of Android's power monitors become rails and energy consumers, whatever an app writes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.energy.attribute.curves import Curve
from navitas.energy.attribute.scaling import floor_of
from navitas.recording.manifest import Manifest, Source
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.power_monitors import parse_monitors, read_monitors, warn_of_short_run
from navitas.recording.parse.rail_readings import possible_growth

MANIFEST = Manifest.model_construct(sources=[Source(id=7, path="power_monitors", kind="power_monitors")])
S = 1_000_000_000
SLEPT_NS = 7 * S
"""Boottime is ahead of monotonic time by what the device slept."""
CLOCKS = ClockTriples(np.array([0, 1000 * S]), np.array([SLEPT_NS, 1000 * S + SLEPT_NS]), np.array([0, 1000 * S]))
NO_BOOTTIME = ClockTriples(np.array([0, 1000 * S]), np.array([-1, -1]), np.array([0, 1000 * S]))


def text(t_s: float, modem_uws: int, wifi_uws: int = 0) -> bytes:
    ms = round(1000 * t_s)
    return f"1 {ms} {modem_uws} [VSYS_PWR_MODEM]:Modem\n0 {ms} {wifi_uws} WIFI\n0 {ms} 5 CPU/0\n0 {ms} 9 CPU/1\n".encode()


def readings(*rows: tuple[float, bytes]) -> Readings:
    times = [round(t_s * S) for t_s, _ in rows]
    return Readings(times, [data for _, data in rows], times)


def test_monitors_are_rails_and_consumers_at_their_own_times() -> None:
    monitors, skipped = parse_monitors([readings((1, text(7.5, 4_000_000, 10)), (21, text(27.6, 6_000_000, 20)))], CLOCKS, 0)
    assert skipped == 0 and not monitors.is_short
    assert monitors.rails is not None and monitors.consumers is not None
    assert monitors.rails.names == ("VSYS_PWR_MODEM",), "as the other sources name it"
    assert monitors.rails.t_ns.tolist() == [S // 2, 20 * S + 600_000_000]
    assert monitors.rails.energy_j[:, 0].tolist() == [4.0, 6.0]
    assert [reason.code for reason in monitors.rails.reasons] == ["power_monitor_noise"]
    assert "every 20 s" in monitors.rails.reasons[0].text
    assert monitors.consumers.names == ("WIFI", "CPU/0", "CPU/1")
    assert monitors.consumers.kinds == ("WIFI", "CPU_CLUSTER", "CPU_CLUSTER")
    assert not len(monitors.consumers.uid)


def test_a_device_without_boottime_in_its_clocks_never_sleeps() -> None:
    monitors, skipped = parse_monitors([readings((1, text(0.9, 1)), (2, text(1.8, 2)))], NO_BOOTTIME, 0)
    assert skipped == 0 and monitors.rails is not None and monitors.rails.t_ns.tolist() == [900_000_000, 1_800_000_000]
    assert "0.25 s" in monitors.rails.reasons[0].text


def test_processes_of_an_app_have_the_same_readings() -> None:
    one, other = readings((1, text(7.5, 4)), (3, text(9.5, 6))), readings((2, text(8.5, 5)), (3, text(9.5, 6)))
    monitors, _ = parse_monitors([one, other], CLOCKS, 0)
    assert monitors.rails is not None and monitors.rails.energy_j[:, 0] * 1e6 == pytest.approx([4.0, 5.0, 6.0])


def test_what_is_unavailable_is_no_reading_and_what_is_torn_is_counted() -> None:
    unavailable = b"1 8000 -1 [VSYS_PWR_MODEM]:Modem\n1 8000 -1 [OFF]:Off\n"
    torn = text(9, 5)[:-3]
    impossible = b"1 900000000 5 [VSYS_PWR_MODEM]:Modem\n7 9000 5 [NEW]:Type\n1 9000 x [A]:B\n"
    rows = [(1, text(7.5, 4)), (1.5, unavailable), (2, torn), (2.5, impossible), (3, text(9.6, 7))]
    monitors, skipped = parse_monitors([readings(*rows)], CLOCKS, 0)
    assert skipped == 4, "the torn line and three impossible ones"
    assert monitors.rails is not None and monitors.rails.names == ("VSYS_PWR_MODEM",)
    assert monitors.rails.energy_j[:, 0] * 1e6 == pytest.approx([4.0, 5.0, 7.0])


def chips(*rows: tuple[float, Sequence[tuple[str, float, float]]]) -> Readings:
    """Records, each at a time in s, of rails (name, its own time in s, J)."""

    def line(name: str, own_s: float, energy_j: float) -> str:
        return f"1 {round(1000 * own_s)} {round(1e6 * energy_j)} [{name}]:X\n"

    return readings(*((t_s, "".join(line(*rail) for rail in rails).encode()) for t_s, rails in rows))


STAGGERED = chips(*((t + 1, [("A", t, 5 + t), ("B", t + 0.2, 7 + 2 * (t + 0.2))]) for t in range(10, 71, 20)))
"""A draws 1 W, B 2 W. Their chips are read every 20 s, that of B 0.2 s later."""


def test_chips_that_are_read_at_other_times_have_constant_power() -> None:
    monitors, skipped = parse_monitors([STAGGERED], NO_BOOTTIME, 0)
    rails = monitors.rails
    assert skipped == 0 and rails is not None and rails.names == ("A", "B")
    assert (rails.t_ns[0], rails.t_ns[-1]) == (10.2 * S, 70 * S), "the time that all rails know"
    seconds = np.diff(rails.t_ns) / S
    assert np.diff(rails.energy_j, axis=0) / seconds[:, None] == pytest.approx(np.tile([1.0, 2.0], (len(seconds), 1)))
    for rail, expected_j in ((0, 60), (1, 120)):
        energy_j = rails.energy_j[:, rail] - rails.energy_j[0, rail]
        assert energy_j[-1] == pytest.approx(expected_j, rel=0.01)
        base = floor_of(Curve(rails.t_ns, energy_j))
        assert base.value[-1] == pytest.approx(expected_j, rel=0.01), "nothing but base"
    assert "every 20 s" in rails.reasons[0].text, "the period of each rail, not the time between chips"


def test_a_run_may_begin_between_the_readings_of_two_chips() -> None:
    rails = parse_monitors([STAGGERED], NO_BOOTTIME, 10 * S + S // 10)[0].rails
    assert rails is not None and rails.t_ns[0] == 30 * S
    watts = (rails.energy_j[-1] - rails.energy_j[0]) / ((rails.t_ns[-1] - rails.t_ns[0]) / S)
    assert watts == pytest.approx([1.0, 2.0])


def test_two_readings_of_each_chip_are_enough() -> None:
    rails = parse_monitors([STAGGERED], NO_BOOTTIME, 45 * S)[0].rails
    assert rails is not None and rails.t_ns.tolist() == [50_200_000_000, 70 * S]
    assert np.diff(rails.energy_j, axis=0)[0] == pytest.approx([19.8, 39.6])


def test_a_monitor_that_is_known_too_late_leaves_the_others() -> None:
    findings = Findings(0)
    rows = [(t + 1.0, [("A", t, t)] if t < 110 else [("A", t, t), ("B", t, 3.0)]) for t in range(10, 111, 20)]
    monitors = read_monitors(MANIFEST, [{7: chips(*rows)}], NO_BOOTTIME, findings, since_ns=0)
    assert monitors.rails is not None and monitors.rails.names == ("A",) and len(monitors.rails.t_ns) == 6
    assert not monitors.is_short
    assert [(loss.what, loss.count, loss.name) for loss in findings.losses] == [("rail_readings", 1, "B")]
    warn_of_short_run(monitors, findings)
    assert [(warning.code, "(B)" in warning.message) for warning in findings.warnings] == [("rail_readings", True)]


def test_monitors_without_a_common_time_leave_the_longest() -> None:
    rows = [(t + 1.0, [("A" if t < 70 else "B", t, t), ("C", t, t)]) for t in range(10, 131, 20)]
    monitors, _ = parse_monitors([chips(*rows)], NO_BOOTTIME, 0)
    assert monitors.rails is not None and monitors.rails.names == ("C",) and monitors.partial == {"A": 3, "B": 4}
    alone = [(t_s, rails[:1]) for t_s, rails in rows]
    monitors, _ = parse_monitors([chips(*alone)], NO_BOOTTIME, 0)
    assert monitors.rails is not None and monitors.rails.names == ("B",) and monitors.partial == {"A": 3}


def test_steps_back_count_as_nothing_and_single_damaged_readings_are_left_out() -> None:
    restarted = [(1, text(8, 4_000_000)), (2, text(9, 5_000_000)), (3, text(10, 1_000_000)), (4, text(11, 2_000_000))]
    monitors, _ = parse_monitors([readings(*restarted)], CLOCKS, 0)
    assert monitors.rails is not None and monitors.impossible == {"VSYS_PWR_MODEM": 1}
    assert np.ptp(monitors.rails.energy_j) == pytest.approx(2.0)
    rows = [(t + 1, [("A", t, 1.0 if t == 50 else t), ("B", t + 0.2, t)]) for t in range(10, 91, 20)]
    damaged, _ = parse_monitors([chips(*rows)], NO_BOOTTIME, 0)
    assert damaged.rails is not None and damaged.impossible == {"A": 1}
    assert damaged.rails.energy_j[-1, 0] - damaged.rails.energy_j[0, 0] == pytest.approx(79.8)
    for one in (monitors.rails, damaged.rails):
        assert possible_growth(one) == (one, {}), "times of other rails make no impossible step"


def test_a_run_with_one_reading_has_no_rails_and_says_so() -> None:
    findings = Findings(0)
    monitors = read_monitors(MANIFEST, [{7: readings((1, text(7.5, 4)), (2, text(7.5, 4)))}], CLOCKS, findings, since_ns=0)
    assert monitors.rails is None and monitors.consumers is None and monitors.is_short
    warn_of_short_run(monitors, findings)
    (warning,) = findings.warnings
    assert warning.code == "power_monitors"
    assert "more than 40 s" in warning.remedy and "ACCESS_FINE_POWER_MONITORS" in warning.remedy
    assert read_monitors(MANIFEST, [{}], CLOCKS, findings, since_ns=0).rails is None and len(findings.warnings) == 1


def test_readings_from_before_the_run_are_not_of_the_run() -> None:
    rows = readings((21, text(8, 1_000_000)), (22, text(28.5, 2_000_000)))
    monitors, skipped = parse_monitors([rows], CLOCKS, 20 * S)
    assert monitors.rails is None and monitors.is_short and skipped == 0
    assert parse_monitors([rows], CLOCKS, S)[0].rails is not None


def test_losses_are_named() -> None:
    findings = Findings(0)
    read_monitors(MANIFEST, [{7: readings((1, b"what\n"))}], CLOCKS, findings, since_ns=0)
    assert [(loss.what, loss.count) for loss in findings.losses] == [("rail_readings", 1)]


def test_monitors_beyond_any_phones_are_counted() -> None:
    many = b"".join(b"1 8000 5 [R%d]:S\n" % number for number in range(600))
    monitors, skipped = parse_monitors([readings((1, many), (2, many.replace(b"8000", b"9000")))], CLOCKS, 0)
    assert monitors.rails is not None and len(monitors.rails.names) == 512 and skipped == 2 * 88


LINES = st.builds(
    "{} {} {} {}{}".format,
    st.integers(-1, 3),
    st.integers(-1, 10**16),
    st.integers(-2, 10**20),
    st.text(max_size=70),
    st.sampled_from(["\n", "", "\r\n"]),
)


TEXTS = st.lists(LINES, max_size=5).map(lambda lines: "".join(lines).encode("utf-8", "replace"))


@given(st.lists(st.one_of(st.binary(max_size=200), TEXTS)))
def test_hostile_text_never_raises(texts: list[bytes]) -> None:
    for clocks in (CLOCKS, NO_BOOTTIME):
        monitors, skipped = parse_monitors([readings(*((i + 1, data) for i, data in enumerate(texts)))], clocks, 0)
        assert skipped >= 0
        assert all(count > 0 for count in [*monitors.partial.values(), *monitors.impossible.values()])
        if monitors.rails is not None:
            assert (np.diff(monitors.rails.t_ns) > 0).all() and (monitors.rails.energy_j >= 0).all()
            possible_growth(monitors.rails)

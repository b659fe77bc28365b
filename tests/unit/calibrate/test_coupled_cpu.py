"""The 2-D model: Wattson's own expected figures, and fits of power by two frequencies."""

from __future__ import annotations

import csv
from collections.abc import Mapping

import numpy as np
import pytest
from support.field_data import FIELD_DATA, needs_field_data

from navitas.calibrate.coupled_cpu import DEEP, OFFLINE, RUNNING, SHALLOW, UNKNOWN, CoupledPower, CpuIntervals, coupled_power
from navitas.calibrate.coupled_fit import fit_surface, surfaces
from navitas.calibrate.operating_points import Dependency, OperatingPoint
from navitas.calibrate.wattson_curves import DSU, CurveRow, L3Row, WattsonCurves, read_curves
from navitas.errors import UsageError

KHZ = 1_000_000
CURVES = WattsonCurves(
    "made",
    {(2, KHZ): CurveRow(5, 100, 10, 1), (2, 2 * KHZ): CurveRow(6, 200, 20, 2)},
    {
        (0, KHZ, Dependency(2, KHZ)): CurveRow(1, 30, 3, 0.5, 7),
        (0, KHZ, Dependency(2, 2 * KHZ)): CurveRow(2, 40, 4, 0.6, 8),
    },
    {(KHZ, Dependency(2, KHZ)): L3Row(1.0, 2.0), (KHZ, Dependency(2, 2 * KHZ)): L3Row(3.0, 4.0)},
)


def _power(
    curves: WattsonCurves,
    states: list[list[int]],
    khz: list[list[int]],
    *,
    dsu: int = 0,
    hits: float = 0,
    misses: float = 0,
    suspended: bool = False,
) -> CoupledPower:
    rows = len(states)
    whole = np.full(rows, 1000, np.int64)
    counts = (np.full(rows, float(count)) for count in (hits, misses))
    freq, state = np.array(khz, np.int64), np.array(states, np.int64)
    return coupled_power(curves, CpuIntervals(whole, freq, state, np.full(rows, dsu), *counts, np.full(rows, suspended)))


def _of_row(row: Mapping[str, str]) -> CoupledPower:
    cpus = [cpu for cpu in range(8) if row[f"freq{cpu}_khz"]]

    def number(name: str) -> np.ndarray:
        return np.array([int(row[name] or 0)])

    return coupled_power(
        read_curves(FIELD_DATA / "wattson" / row["device"]),
        CpuIntervals(
            number("dur_ns"),
            np.array([[int(row[f"freq{cpu}_khz"]) for cpu in cpus]]),
            np.array([[int(row[f"idle{cpu}"] or UNKNOWN) for cpu in cpus]]),
            number("dsu_freq"),
            number("l3_hit_count").astype(float),
            number("l3_miss_count").astype(float),
            number("suspended") > 0,
        ),
    )


@needs_field_data
def test_all_rows_that_wattson_expects() -> None:
    with (FIELD_DATA / "wattson/expected.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 15
    for row in rows:
        found = _of_row(row)
        assert found.shared_mw[0] == pytest.approx(float(row["dsu_scu_mw"]), abs=0.1)
        for cpu, mw in enumerate(found.cpu_mw[0].tolist()):
            expected = row[f"cpu{cpu}_mw"]
            assert np.isnan(mw) if expected == "" else mw == pytest.approx(float(expected), abs=0.1)


def test_the_running_cpu_with_most_power_selects_the_second_frequency() -> None:
    found = _power(
        CURVES, [[RUNNING, DEEP, RUNNING, DEEP], [RUNNING, DEEP, RUNNING, RUNNING]], [[KHZ] * 4, [KHZ, KHZ, KHZ, 2 * KHZ]]
    )
    assert found.cpu_mw[0].tolist() == [30, 0.5, 100, 1]
    assert found.cpu_mw[1].tolist() == [40, 0.6, 100, 200]
    assert found.shared_mw.tolist() == [1 + 5 + 7, 2 + 5 + 8]
    assert found.total_mw[0] == pytest.approx(30 + 0.5 + 100 + 1 + 13)


def test_without_a_running_voter_the_lowest_second_frequency_counts() -> None:
    found = _power(CURVES, [[RUNNING, SHALLOW, SHALLOW, DEEP]], [[KHZ, KHZ, 2 * KHZ, 2 * KHZ]])
    assert found.cpu_mw[0].tolist() == [30, 3, 20, 2]


def test_offline_unknown_and_suspended_cpus() -> None:
    found = _power(CURVES, [[OFFLINE, UNKNOWN, DEEP, DEEP]], [[KHZ] * 4])
    assert found.cpu_mw[0, 0] == 0 and np.isnan(found.cpu_mw[0, 1])
    assert found.shared_mw.tolist() == [7]
    asleep = _power(CURVES, [[RUNNING] * 4], [[KHZ] * 4], suspended=True)
    assert asleep.total_mw.tolist() == [0]


def test_an_unknown_frequency_has_no_value() -> None:
    found = _power(CURVES, [[RUNNING, DEEP, RUNNING, DEEP]], [[KHZ, KHZ, KHZ + 1, KHZ + 1]])
    assert np.isnan(found.cpu_mw[0, 2])


def test_the_l3_costs_energy_by_hit_and_miss() -> None:
    """10 hits of 1 nJ and 5 misses of 2 nJ in 1 µs are 20 mW."""
    states = [[RUNNING, DEEP, DEEP, DEEP]]
    with_l3, without = (_power(CURVES, states, [[KHZ] * 4], hits=hits, misses=hits / 2) for hits in (10, 0))
    assert with_l3.shared_mw[0] - without.shared_mw[0] == pytest.approx(20)


def test_the_shared_unit_can_select_the_second_frequency() -> None:
    curves = WattsonCurves("made", {}, {(0, KHZ, Dependency(DSU, 500)): CurveRow(1, 30, 3, 0)})
    assert _power(curves, [[RUNNING]], [[KHZ]], dsu=500).cpu_mw.tolist() == [[30]]
    assert np.isnan(_power(curves, [[RUNNING]], [[KHZ]], dsu=600).cpu_mw[0, 0])


@needs_field_data
@pytest.mark.parametrize(("device", "column"), [("Tensor", "active"), ("Tensor", "static"), ("SXR2230P", "active")])
def test_the_2d_model_beats_the_additive_one_at_held_out_rows(device: str, column: str) -> None:
    curves = read_curves(FIELD_DATA / "wattson" / device)
    found = fit_surface(0, {(khz, dep): getattr(row, column) for (_, khz, dep), row in curves.cpu_2d.items()})
    assert found.form == "2-D"
    assert found.coupled_error < 0.8 * found.additive_error


def test_power_that_is_a_sum_of_two_curves_is_fitted_as_a_sum() -> None:
    """Each own frequency has only two second ones, so a table has less to go by than a sum."""
    points = [
        OperatingPoint(0, own * KHZ, 10.0 * own + 300.0 * second**2, 1, Dependency(4, second * KHZ))
        for own in range(1, 9)
        for second in range(1, 9)
    ]
    (found,) = surfaces(points)
    assert found.form == "additive" and found.additive_error < 0.01
    assert found.mw[3 * KHZ, Dependency(4, 2 * KHZ)] == pytest.approx(1230, rel=0.02)


def test_too_few_pairs_of_frequencies_are_refused() -> None:
    points = [OperatingPoint(0, own * KHZ, 10.0, 1, Dependency(4, KHZ)) for own in range(1, 9)]
    with pytest.raises(UsageError, match="policy 0: 8 pairs of frequencies are too few"):
        surfaces(points)


def test_a_running_cpu_without_a_value_leaves_no_total() -> None:
    running, shallow, deep = (
        _power(CURVES, [[DEEP, DEEP, RUNNING, state]], [[KHZ, KHZ, KHZ, 7]]) for state in (RUNNING, SHALLOW, DEEP)
    )
    assert np.isnan(running.total_mw[0]) and np.isnan(shallow.total_mw[0])
    assert deep.total_mw[0] == pytest.approx(0.5 + 0.5 + 100 + 5 + 7)


def test_a_running_voter_without_a_value_leaves_the_second_frequency_unknown() -> None:
    found = _power(CURVES, [[RUNNING, DEEP, RUNNING, RUNNING]], [[KHZ, KHZ, KHZ, 7]])
    assert np.isnan(found.cpu_mw[0, 0]) and found.cpu_mw[0, 2] == 100
    assert np.isnan(found.total_mw[0])


def test_the_first_of_several_cpus_with_most_power_selects() -> None:
    """Policies 2 and 3 have the same power, and policy 0 depends on both."""
    curves = WattsonCurves(
        "made",
        {(2, KHZ): CurveRow(0, 100, 0, 0), (3, KHZ): CurveRow(0, 100, 0, 0)},
        {(0, KHZ, Dependency(policy, KHZ)): CurveRow(0, 10 * policy, 0, 0) for policy in (2, 3)},
    )
    assert _power(curves, [[RUNNING, DEEP, RUNNING, RUNNING]], [[KHZ] * 4]).cpu_mw[0, 0] == 20
    assert _power(curves, [[RUNNING, DEEP, DEEP, RUNNING]], [[KHZ] * 4]).cpu_mw[0, 0] == 30


def test_a_policy_without_a_curve_can_be_one_that_others_depend_on() -> None:
    only_2d = WattsonCurves("made", {}, CURVES.cpu_2d)
    assert only_2d.policies == (0, 2)
    found = _power(only_2d, [[RUNNING, DEEP, DEEP, DEEP], [RUNNING, DEEP, RUNNING, DEEP]], [[KHZ] * 4] * 2)
    assert found.cpu_mw[0, 0] == 30 and np.isnan(found.cpu_mw[0, 2])
    assert found.total_mw[0] == pytest.approx(30 + 0.5 + 1 + 7)
    assert np.isnan(found.total_mw[1])


def test_without_cpus_that_could_select_the_lowest_second_frequency_counts() -> None:
    assert _power(CURVES, [[RUNNING, DEEP]], [[KHZ, KHZ]]).cpu_mw.tolist() == [[30, 0.5]]


def test_too_many_pairs_of_frequencies_are_refused() -> None:
    points = [OperatingPoint(0, own, 10.0, 1, Dependency(4, second)) for own in range(1, 12) for second in range(1, 101)]
    with pytest.raises(UsageError, match="policy 0: has 1,100 pairs of frequencies"):
        surfaces(points)

"""Calibration: held-out errors of measured chips, planted coefficients, and data that cannot be used."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_phone import planted
from support.field_data import FIELD_DATA, needs_field_data
from truth.phone import PIXEL_6, mistaken, profile_xml

from navitas.base.errors import ExitCode, UsageError
from navitas.cli.main import run
from navitas.insight.calibrate.calibration import Calibration, Caution, calibrate, relative_errors
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.fit_rows import FitRows, IntervalSource
from navitas.insight.calibrate.operating_points import LEAST_MW, OperatingPoint, PointSource, within_speeds
from navitas.insight.calibrate.points_csv import read_points
from navitas.insight.calibrate.start_model import start_for
from navitas.insight.calibrate.wattson_curves import read_curves
from navitas.power import catalog
from navitas.power.cpu import power_model
from navitas.power.model import CpuPower
from navitas.power.power_profile import read_power_profile

VOLTAGE_V = 3.85
RECOVERED = 0.05
CHIPS = {
    "gs101": ("google-pixel-6", None),
    "msm8996": ("oneplus-3", None),
    # No profile of these phones is available: they start from the Pixel 6's.
    "sm8150": ("google-pixel-6", (4, 3, 1)),
    "sm8250": ("google-pixel-6", (4, 3, 1)),
}


def _cpu(name: str) -> CpuPower:
    return power_model(catalog.load(name), VOLTAGE_V).cpu


def _calibrated(cpu: CpuPower, *sources: PointSource) -> Calibration:
    return calibrate(CpuCoefficients.of(cpu, VOLTAGE_V), sources)


def _points_of(cpu: CpuPower, cores: tuple[int, ...] = (1,)) -> PointSource:
    """Exact points of a profile, with one busy core or several."""
    points = [
        OperatingPoint(cluster.cpus[0], khz, (cpu.active_ma + cluster.cluster_ma + count * ma) * VOLTAGE_V, count)
        for cluster in cpu.clusters
        for khz, ma in zip(cluster.freq_khz.tolist(), cluster.core_ma.tolist(), strict=True)
        for count in cores
        if count <= len(cluster.cpus)
    ]
    return PointSource("made", tuple(points))


def _wrong(cpu: CpuPower) -> CpuPower:
    clusters = tuple(replace(each, core_ma=each.core_ma * 1.3, cluster_ma=each.cluster_ma * 0.8) for each in cpu.clusters)
    return replace(cpu, clusters=clusters)


@needs_field_data
@pytest.mark.parametrize("chip", CHIPS)
def test_a_calibrated_profile_is_better_at_held_out_points_of_each_cluster(chip: str) -> None:
    name, cores = CHIPS[chip]
    source = read_points(FIELD_DATA / f"freqbench/{chip}_main_results.csv")
    cpu = _cpu(name) if cores is None else start_for(_cpu(name), cores, [source])
    found = _calibrated(cpu, source)
    assert len(found.errors) > len(cpu.clusters)
    for each in found.errors:
        assert each.before is not None and each.held_out is not None
        assert each.held_out < each.before / 2
        assert each.fitted < 0.01
    assert found.errors[0].held_out is not None and found.errors[0].held_out < 0.06


@needs_field_data
@pytest.mark.parametrize("chip", [*CHIPS, "Tensor", "SXR2230P"])
def test_a_calibration_is_no_worse_than_plain_interpolation_at_held_out_points(chip: str) -> None:
    """Every fifth frequency of each cluster is left out in turn. A tenth is less than their noise.

    Plain interpolation has the nearest power beyond the ends, and a calibration a line: their mean error is smaller with it.
    """
    name, cores = CHIPS.get(chip, ("google-pixel-6", (2, 4) if chip == "SXR2230P" else None))
    path = FIELD_DATA / (f"freqbench/{chip}_main_results.csv" if chip in CHIPS else f"wattson/{chip}")
    source = read_points(path) if chip in CHIPS else read_curves(path, chip).source()
    cpu = _cpu(name) if cores is None else start_for(_cpu(name), cores, [source])
    points, _ = within_speeds(source, cpu)
    rows = FitRows.of(CpuCoefficients.of(cpu, VOLTAGE_V), points.points, ())
    measured = np.array([point.power_mw for point in points.points])
    calibrated = relative_errors(rows.held_out()[rows.row], measured)
    plain = relative_errors(rows.interpolated(points.points), measured)
    at_end = np.isin(rows.speed[rows.row], [number for speeds in rows.speeds_of() for number in (speeds[0], speeds[-1])])
    for figure in (np.median, np.mean, lambda errors: np.quantile(errors, 0.9)):
        assert figure(calibrated[~at_end]) < 1.1 * figure(plain[~at_end])
    assert calibrated[at_end].mean() < plain[at_end].mean()


def test_the_profiles_curve_counts_as_far_as_points_confirm_it() -> None:
    """Power rises with the third power of the frequency, measured at few of them: straight lines between these are too high."""
    khz = np.arange(300_000, 2_900_000, 100_000)
    truth = replace(_cpu("google-pixel-6"), active_ma=0.0)
    truth = replace(truth, clusters=(replace(truth.clusters[0], freq_khz=khz, core_ma=(khz / 1e6) ** 3, cluster_ma=0.0),))
    few = PointSource("few", _points_of(truth).points[::2])
    right, wrong = (
        replace(truth, clusters=(replace(truth.clusters[0], core_ma=core_ma),))
        for core_ma in (1.5 * (khz / 1e6) ** 3, khz % 7e5 / 1e5 + 1)
    )
    calibrated, straight = _calibrated(right, few), _calibrated(wrong, few)
    assert calibrated.prior == (1.0,) and straight.prior == (0.0,)
    np.testing.assert_allclose(calibrated.cpu.clusters[0].core_ma, truth.clusters[0].core_ma, rtol=0.01)
    between = np.interp(khz[:25], khz[::2], truth.clusters[0].core_ma[::2])
    np.testing.assert_allclose(straight.cpu.clusters[0].core_ma[:25], between, rtol=0.01)


def test_noise_seldom_chooses_a_prior() -> None:
    """Points on a straight line within 3 %, and a profile's curve that is one within 2 %: neither way is better."""
    cpu, khz, chosen = _cpu("google-pixel-6"), np.arange(300_000, 2_300_000, 100_000), 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        curve, power_mw = (khz / 1e4 * np.exp(random.normal(0, share, len(khz))) for share in (0.02, 0.03))
        cluster = replace(cpu.clusters[0], freq_khz=khz, core_ma=curve, cluster_ma=0.0)
        start = CpuCoefficients.of(replace(cpu, active_ma=0.0, clusters=(cluster,)), VOLTAGE_V)
        points = [OperatingPoint(0, *point) for point in zip(khz.tolist(), power_mw.tolist(), strict=True)]
        chosen += FitRows.of(start, points, ()).prior() != (0.0,)
    assert chosen <= 1


def test_a_start_of_placeholders_is_no_worse_than_plain_interpolation() -> None:
    """Some makers leave AOSP's 0.1 mA for every core at every speed."""
    cpu = _cpu("google-pixel-6")
    start = replace(cpu, clusters=tuple(replace(each, core_ma=np.full(len(each.core_ma), 0.1)) for each in cpu.clusters))
    errors = _calibrated(start, _points_of(cpu)).errors[0]
    assert errors.held_out is not None and errors.interpolated is not None and errors.held_out < 1.01 * errors.interpolated
    assert errors.before > 0.5 and errors.fitted < 0.001


def test_currents_beyond_the_measured_frequencies_are_never_those_of_a_line_below_0() -> None:
    cpu = _cpu("google-pixel-6")
    points = tuple(point for point in _points_of(cpu).points if point.cpu == 6 and point.freq_khz > 2_000_000)
    found = _calibrated(_wrong(cpu), PointSource("high", points)).cpu.clusters[2]
    assert (np.diff(found.core_ma) > 0).all() and found.core_ma[0] > 0.5 * cpu.clusters[2].core_ma[0]


def test_too_few_frequencies_for_cross_validation_are_named() -> None:
    cpu = _cpu("google-pixel-6")
    points = [point for point in _points_of(cpu).points if point.cpu == 0]
    points += [point for point in _points_of(cpu).points if point.cpu == 4][:9]
    found = _calibrated(_wrong(cpu), PointSource("few", tuple(points)))
    (message,) = [each.message for each in found.warnings if each.code == "too_few_frequencies"]
    assert message.startswith("cluster 1: cross-validation needs 10 measured frequencies, and there are 9: ")
    assert found.prior[1] == 0.0
    points += [point for point in _points_of(cpu).points if point.cpu == 6][5:6]
    found = _calibrated(_wrong(cpu), PointSource("one", tuple(points)))
    message = [each.message for each in found.warnings if each.code == "too_few_frequencies"][1]
    expected = "measured frequencies, and there is 1: currents at the others follow the profile's curve"
    assert message == f"cluster 2: cross-validation needs 10 {expected}"
    ratios = found.cpu.clusters[2].core_ma / _wrong(cpu).clusters[2].core_ma
    np.testing.assert_allclose(ratios, ratios[5], rtol=0.05)


@needs_field_data
def test_both_errors_are_shown_where_references_disagree() -> None:
    freqbench = read_points(FIELD_DATA / "freqbench/gs101_main_results.csv")
    wattson = read_curves(FIELD_DATA / "wattson/Tensor", "Tensor").source()
    found = calibrate(CpuCoefficients.of(_cpu("google-pixel-6"), VOLTAGE_V), [wattson], [freqbench])
    overall = {each.source: each for each in found.errors if each.cluster is None}
    assert overall["Tensor"].fitted < 0.01 and overall[freqbench.name].fitted > 0.2
    assert overall[freqbench.name].held_out is None
    medians = {each.cluster: each.median for each in found.disagreements}
    assert -0.25 < medians[1] < -0.2 and -0.4 < medians[2] < -0.35


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.extended)])
def test_planted_coefficients_of_the_discrete_event_phone_are_recovered(seed: int, tmp_path: Path) -> None:
    """A power meter measures the phone, whose profile is wrong by up to 20 %. Each reading has an error of 0.1 %."""
    wrong = mistaken(PIXEL_6, seed)
    recording, meter = planted(tmp_path, PIXEL_6, wrong, noise=0.001)
    (tmp_path / "wrong.xml").write_bytes(profile_xml(wrong))
    words = ["--recording", str(recording), "--meter", str(meter), "--interval", "0.4"]
    output, document = tmp_path / "right.xml", tmp_path / "report.json"
    start = str(tmp_path / "wrong.xml")
    assert run(["power", "calibrate", start, *words, "-o", str(output), "--json", str(document)]) == ExitCode.OK
    cpu = power_model(read_power_profile(output), VOLTAGE_V).cpu
    assert cpu.active_ma == pytest.approx(PIXEL_6.active_ma, rel=RECOVERED)
    for cluster, truth in zip(cpu.clusters, PIXEL_6.clusters, strict=True):
        assert cluster.cluster_ma == pytest.approx(truth.cluster_ma, rel=RECOVERED)
        np.testing.assert_allclose(cluster.core_ma, truth.core_ma, rtol=RECOVERED)
    (errors,) = json.loads(document.read_text())["errors"]
    assert errors["held_out"] < 0.01


def test_points_with_several_busy_cores_separate_clusters_from_cores() -> None:
    cpu = _cpu("google-pixel-6")
    found = _calibrated(_wrong(cpu), _points_of(cpu, (1, 2, 4)))
    for cluster, truth in zip(found.cpu.clusters, cpu.clusters, strict=True):
        np.testing.assert_allclose(cluster.core_ma, truth.core_ma, rtol=0.01)
        shared = cluster.cluster_ma + found.cpu.active_ma
        assert shared == pytest.approx(truth.cluster_ma + cpu.active_ma, rel=0.05)
    assert found.warnings == ()


def test_a_profile_that_is_right_stays_as_it_is() -> None:
    cpu = _cpu("google-pixel-6")
    found = _calibrated(cpu, _points_of(cpu))
    assert found.cpu.active_ma == pytest.approx(cpu.active_ma)
    for cluster, before in zip(found.cpu.clusters, cpu.clusters, strict=True):
        np.testing.assert_allclose(cluster.core_ma, before.core_ma, rtol=1e-6)


def test_figures_that_a_profile_lacks_stay_0_if_the_points_cannot_show_them() -> None:
    cpu = _cpu("oneplus-3")
    found = _calibrated(_wrong(cpu), _points_of(cpu))
    assert found.cpu.active_ma == 0 and [each.cluster_ma for each in found.cpu.clusters] == [0, 0]
    assert [each.code for each in found.warnings] == ["one_busy_core"]


def test_a_cluster_without_points_keeps_its_figures() -> None:
    cpu = _cpu("google-pixel-6")
    points = tuple(point for point in _points_of(cpu, (1, 2)).points if point.cpu == 0)
    found = _calibrated(_wrong(cpu), PointSource("little", points))
    np.testing.assert_allclose(found.cpu.clusters[2].core_ma, _wrong(cpu).clusters[2].core_ma, rtol=1e-6)
    assert Caution("cluster_not_measured", "cluster 2 was not measured: its figures stay as they are") in found.warnings


def test_points_without_neighbours_in_the_profile_are_interpolated() -> None:
    cpu = _cpu("google-pixel-6")
    low, high = cpu.clusters[0].freq_khz[:2].tolist()
    use = CpuCoefficients.of(cpu, VOLTAGE_V).use_of([OperatingPoint(0, (low + high) // 2, 1.0)])
    expected = (cpu.active_ma + cpu.clusters[0].cluster_ma + cpu.clusters[0].core_ma[:2].mean()) * VOLTAGE_V
    assert use.sum() == pytest.approx(expected)


def test_currents_are_never_negative() -> None:
    cpu = _cpu("google-pixel-6")
    points = tuple(replace(point, power_mw=0.01) for point in _points_of(cpu).points)
    found = _calibrated(cpu, PointSource("tiny", points))
    assert found.cpu.active_ma >= 0 and all((each.core_ma >= 0).all() for each in found.cpu.clusters)


@settings(max_examples=30, deadline=None)
@given(powers=st.lists(st.sampled_from([LEAST_MW, 1.0, 30.0, 31.0, 1e4, 1e6]), min_size=8, max_size=8), cores=st.integers(1, 4))
def test_any_possible_powers_are_a_profile_or_an_error(powers: list[float], cores: int) -> None:
    cpu = _cpu("google-pixel-6")
    speeds = cpu.clusters[0].freq_khz[: len(powers)].tolist()
    points = tuple(OperatingPoint(0, khz, mw, 1 + i % cores) for i, (khz, mw) in enumerate(zip(speeds, powers, strict=True)))
    try:
        found = _calibrated(cpu, PointSource("made", points))
    except UsageError as error:
        assert error.message and error.remedy
    else:
        assert all(np.isfinite(cluster.core_ma).all() for cluster in found.cpu.clusters)


def test_too_few_points_are_refused() -> None:
    cpu = _cpu("google-pixel-6")
    with pytest.raises(UsageError, match="made: has 4 points, but a calibration needs 5"):
        _calibrated(cpu, PointSource("made", _points_of(cpu).points[:4]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cpu": 9}, "points of CPU 9, but the profile has 8 CPUs"),
        ({"freq_khz": 123}, "of 11 frequencies of cluster 0 are speeds"),
    ],
)
def test_points_of_another_phone_are_refused(change: dict[str, int], message: str) -> None:
    cpu = _cpu("google-pixel-6")
    points = [point for point in _points_of(cpu).points if point.cpu == 0]
    other = [replace(point, **({"freq_khz": point.freq_khz * 11 // 10} if "freq_khz" in change else change)) for point in points]
    with pytest.raises(UsageError, match=message) as caught:
        _calibrated(cpu, PointSource("other", tuple(other)))
    assert "another phone" in caught.value.message and "power extract" in caught.value.remedy


def test_another_phones_profile_is_a_start_with_the_points_own_speeds() -> None:
    cpu = _cpu("google-pixel-6")
    source = PointSource(
        "x", tuple(OperatingPoint(cpu_, khz, 50.0) for cpu_ in (0, 7) for khz in (500_000, 1_000_000, 1_500_000))
    )
    start = start_for(cpu, (7, 1), [source])
    assert [each.cpus for each in start.clusters] == [tuple(range(7)), (7,)]
    assert start.clusters[1].freq_khz.tolist() == [500_000, 1_000_000, 1_500_000]
    assert start.clusters[1].core_ma[0] == pytest.approx(cpu.clusters[2].core_ma_at(np.array([500_000]))[0])
    with pytest.raises(UsageError, match="no points of cluster 1"):
        start_for(cpu, (4, 3, 1), [source])
    with pytest.raises(UsageError, match="points of CPU 7, but --cores 4 has 4 CPUs"):
        start_for(cpu, (4,), [source])


def _rounded(source: PointSource, change: float) -> PointSource:
    """The same points as another file rounds them: frequencies differ by this share."""
    points = (replace(point, freq_khz=round(point.freq_khz * (1 + change))) for point in source.points)
    return PointSource("rounded", tuple(points))


def test_nearly_equal_frequencies_are_left_out_together() -> None:
    """A second file with the same points, rounded, must not show the fit what it has to predict."""
    cpu, truth = _cpu("google-pixel-6"), _points_of(_cpu("google-pixel-6"))
    points = [replace(point, power_mw=point.power_mw * (1.5 if place % 2 else 1)) for place, point in enumerate(truth.points)]
    source = PointSource("made", tuple(points))
    alone, both = _calibrated(cpu, source), _calibrated(cpu, source, _rounded(source, 0.002))
    expected, found = alone.errors[0].held_out, both.errors[0].held_out
    assert expected is not None and found is not None and expected > 0.2
    assert found > expected / 2
    assert {each.points for each in both.disagreements} == {11, 14, 17}


def test_points_beyond_the_profiles_speeds_are_left_out() -> None:
    cpu = _cpu("google-pixel-6")
    exact = _points_of(cpu)
    faster = OperatingPoint(0, 3_000_000, 5000.0)
    found = _calibrated(cpu, PointSource("made", (*exact.points, faster)))
    np.testing.assert_allclose(found.cpu.clusters[0].core_ma, cpu.clusters[0].core_ma, rtol=1e-6)
    assert Caution("points_left_out", "made: points beyond the profile's speeds were left out: 1") in found.warnings


def test_repeated_points_take_no_more_rows_and_count_by_their_relative_errors() -> None:
    cpu = _cpu("google-pixel-6")
    exact = _points_of(cpu, (1, 2)).points
    repeated = [replace(point, power_mw=point.power_mw * share) for share in (0.9, 1.0, 1.2) for point in exact]
    rows = FitRows.of(CpuCoefficients.of(cpu, VOLTAGE_V), repeated, ())
    assert len(rows.use) == len(exact) == len(set(rows.row.tolist()))
    # The least sum of ((c - m) / m)² over the repetitions m.
    share = (1 / 0.9 + 1 + 1 / 1.2) / (1 / 0.9**2 + 1 + 1 / 1.2**2)
    np.testing.assert_allclose(rows.use @ rows.fit((0.0, 0.0, 0.0)), share * (rows.use @ rows.target), rtol=1e-3)
    errors = _calibrated(cpu, PointSource("repeated", tuple(repeated))).errors[0]
    assert errors.points == 3 * len(exact) and errors.interpolated is not None


def test_five_different_frequencies_are_needed() -> None:
    cpu = _cpu("google-pixel-6")
    point = _points_of(cpu).points[0]
    with pytest.raises(UsageError, match="made: has points at 1 different frequency"):
        _calibrated(cpu, PointSource("made", tuple(replace(point, power_mw=50.0 + number) for number in range(9))))


def test_more_busy_cores_than_a_cluster_has_are_refused() -> None:
    cpu = _cpu("google-pixel-6")
    points = (*_points_of(cpu).points, OperatingPoint(0, 300_000, 50.0, 900, 7))
    with pytest.raises(UsageError, match="made: line 7: 900 busy cores, but cluster 0 has 4"):
        _calibrated(cpu, PointSource("made", points))


def test_currents_that_the_fit_set_to_0_are_named() -> None:
    cpu = _cpu("google-pixel-6")
    points = tuple(replace(point, power_mw=0.01) if point.cpu == 0 else point for point in _points_of(cpu).points)
    found = _calibrated(cpu, PointSource("made", points))
    (message,) = [each.message for each in found.warnings if each.code == "currents_of_0"]
    assert message.startswith("the measured power leaves nothing for currents that are now 0: ")


def test_a_recording_shows_the_error_of_the_profile_with_a_fitted_base() -> None:
    cpu = _cpu("google-pixel-6")
    coefficients = CpuCoefficients.of(_wrong(cpu), VOLTAGE_V)
    exact = _points_of(cpu, (1, 2, 4)).points
    power_mw = np.array([point.power_mw for point in exact])
    source = IntervalSource("rec", coefficients.use_of(exact), power_mw + 500.0, is_continuous=False)
    (errors,) = calibrate(coefficients, [], (), [source]).errors
    assert 0.05 < errors.before < 0.3
    assert errors.held_out is not None and errors.held_out < errors.before / 5
    assert errors.held_out_p90 is not None and errors.held_out_p90 >= errors.held_out
    right = CpuCoefficients.of(cpu, VOLTAGE_V)
    noise = np.random.default_rng(1).uniform(0.5, 1.5, len(power_mw))
    noisy = IntervalSource("noise", right.use_of(exact), power_mw * noise, is_continuous=False)
    assert "no_improvement" in [each.code for each in calibrate(right, [], (), [noisy]).warnings]


def test_clusters_with_too_many_speeds_are_refused() -> None:
    cpu = _cpu("google-pixel-6")
    khz = np.arange(1, 500) * 10_000
    many = replace(cpu, clusters=(replace(cpu.clusters[0], freq_khz=khz, core_ma=khz / 1e4),))
    with pytest.raises(UsageError, match="cluster 0 has 499 speeds"):
        CpuCoefficients.of(many, VOLTAGE_V)

"""Estimates are compared with the device's own power statistics, in total and for the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from attribution_maker import ns, run
from hardware_maker import CALLER, CAMERA_ON, profile_of
from support.reports import closed, data_of, printed
from support.run_tables import changed

from navitas.energy.attribute.consumers_comparison import ConsumerEnergy, component_of, merged_consumers
from navitas.recording.parse.device_states import NO_UID
from navitas.recording.parse.rail_readings import EnergyConsumers
from navitas.recording.parse.tables import RunTables
from navitas.report import json_report
from navitas.report.terminal.terminal_report import TerminalReport

APP, OTHER = 10_001, 10_002


def consumers(
    readings: Sequence[tuple[float, Sequence[float]]],
    described: Sequence[tuple[str, str]],
    by_uid: Sequence[tuple[float, int, int, float]] = (),
    app_uid: int = APP,
) -> EnergyConsumers:
    """Readings of (ms, joules of each consumer), and rows of (ms, consumer, uid, joules)."""
    return EnergyConsumers(
        tuple(name for _, name in described),
        tuple(kind for kind, _ in described),
        np.array([ns(t) for t, _ in readings], np.int64),
        np.array([row for _, row in readings], np.float64),
        np.array([row[1] for row in by_uid], np.int64),
        np.array([row[2] for row in by_uid], np.int64),
        np.array([ns(row[0]) for row in by_uid], np.int64),
        np.array([row[3] for row in by_uid], np.float64),
        app_uid,
    )


def photographed(found: EnergyConsumers) -> RunTables:
    """The camera is on for 200 ms at 0.6 W: the model estimates 0.12 J, all of it the app's."""
    return changed(run([CALLER]), hooks=CAMERA_ON, consumers=found)


CAMERA = [("CAMERA", "Camera")]


def test_a_component_is_compared_with_its_consumers() -> None:
    found = consumers([(0, [1.0]), (1000, [1.15])], CAMERA, [(0, 0, APP, 0.5), (1000, 0, APP, 0.6), (1000, 0, OTHER, 0.05)])
    (one,) = profile_of(photographed(found)).consumers
    assert (one.component, one.consumers) == ("camera", ("Camera",))
    assert (one.energy_j, one.estimate_j, one.app_j, one.app_estimate_j) == pytest.approx((0.15, 0.12, 0.1, 0.12))


def test_consumers_that_begin_again_count_from_the_reading_before() -> None:
    """What an app used while its counter began again is unknown, and a torn reading is none."""
    rows = [
        (0, 0, APP, 0.5),
        (300, 0, APP, 0.6),
        (400, 0, APP, 0.0),
        (500, 0, APP, 0.61),
        (550, 0, APP, 0.62),
        (600, 0, APP, 0.02),
        (1000, 0, APP, 0.06),
    ]
    found = consumers([(0, [1.0]), (1000, [1.15])], CAMERA, rows)
    (one,) = profile_of(photographed(found)).consumers
    assert one.app_j == pytest.approx(0.12 + 0.04)


def test_only_the_time_between_readings_counts() -> None:
    """Before 350 ms, no consumer was read, so half of the estimate counts."""
    (one,) = profile_of(photographed(consumers([(350, [1.0]), (1000, [1.07])], CAMERA))).consumers
    assert (one.energy_j, one.estimate_j, one.app_j) == (pytest.approx(0.07), pytest.approx(0.06), None)


def test_without_the_apps_uid_or_uids_its_share_is_unknown() -> None:
    rows = [(0.0, 0, APP, 0.5), (1000.0, 0, APP, 0.6)]
    readings = [(0.0, [1.0]), (1000.0, [1.15])]
    assert profile_of(photographed(consumers(readings, CAMERA, rows, NO_UID))).consumers[0].app_j is None
    assert profile_of(photographed(consumers(readings, CAMERA))).consumers[0].app_j is None
    others = profile_of(photographed(consumers(readings, CAMERA, [(1000.0, 0, OTHER, 0.1)])))
    assert others.consumers[0].app_j == 0.0


def test_one_reading_or_unknown_consumers_are_not_compared() -> None:
    assert profile_of(photographed(consumers([(0, [1.0])], CAMERA))).consumers == ()
    assert profile_of(photographed(consumers([(0, [1.0]), (1000, [2.0])], [("OTHER", "TPU")]))).consumers == ()
    assert profile_of(run([CALLER])).consumers == ()


@pytest.mark.parametrize(
    ("kind", "name", "component"),
    [
        ("CPU_CLUSTER", "CPUCL0", "cpu"),
        ("DISPLAY", "Display", "screen"),
        ("OTHER", "GPU", "gpu"),
        ("OTHER", "TPU", None),
        ("", "CPUCL1", "cpu"),
        ("", "GPS", "gnss"),
        ("", "", None),
    ],
)
def test_consumers_belong_to_components(kind: str, name: str, component: str | None) -> None:
    assert component_of(kind, name) == component


def test_runs_are_summed_by_component() -> None:
    one = ConsumerEnergy("wifi", ("Wifi",), 1.0, 2.0, 0.5, 0.25)
    assert merged_consumers([[one], [replace(one, app_j=None)], []]) == (
        replace(one, energy_j=2.0, estimate_j=4.0, app_j=None, app_estimate_j=0.5),
    )
    assert merged_consumers([[one], [one]])[0].app_j == 1.0


def test_reports_show_the_comparison() -> None:
    found = consumers([(0, [1.0]), (1000, [1.15])], CAMERA, [(0, 0, APP, 0.5), (1000, 0, APP, 0.6)])
    made = profile_of(photographed(found))
    rows = [line.split() for line in printed(TerminalReport(), made).splitlines()]
    assert ["camera", "150", "mJ", "120", "mJ", "100", "mJ", "120", "mJ"] in rows
    report = data_of(json_report.write, made)
    jsonschema.validate(report, closed(json_report.schema()))
    assert report["consumers"][0] == {
        "component": "camera",
        "consumers": ["Camera"],
        "energy_j": pytest.approx(0.15),
        "estimate_j": pytest.approx(0.12),
        "app_j": pytest.approx(0.1),
        "app_estimate_j": pytest.approx(0.12),
    }

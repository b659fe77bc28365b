"""Alarms and jobs of a recording, compared with those that batterystats noted."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from attribution_maker import ns, run, thread
from graph_maker import K, Row, communications, profile_with
from support.batterystats_dumps import read_dump
from support.field_data import FIELD_DATA, needs_field_data
from support.run_tables import changed

from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.delivery_tags import HistoryCheck, component, history_check, job_component
from navitas.recording.parse.communication_records import CommunicationFlag as Flag
from navitas.recording.parse.device_states import NotedEvents
from navitas.recording.parse.tables import RunTables

SYNC, TICK = "*walarm*:a/.Sync", "*alarm*:a.TICK"
JOB, WORK = "a/.MyJob", "a/androidx.work.impl.background.systemjob.SystemJobService"


def events(*found: tuple[str, str], alarms: bool = True, jobs: bool = True, unjoined: int = 0) -> NotedEvents:
    times = np.array([ns(10.0 * i) for i in range(len(found))], np.int64)
    return NotedEvents(tuple(state for state, _ in found), tuple(tag for _, tag in found), times, unjoined, alarms, jobs)


def made(rows: list[Row], history: NotedEvents | None) -> RunTables:
    tables = run([thread(1, [], [(0, 0), (1000, 0)])])
    return changed(tables, communications=communications(rows), history_events=history)


def check(*runs: RunTables) -> HistoryCheck | None:
    tables = tuple(replace(one, run_id=number) for number, one in enumerate(runs))
    return history_check(module_graph(profile_with([], *tables)), tables)


ROWS = [
    Row(0, K.SET_ALARM, "a.Main", 1, Flag.WAKE_UP | Flag.PERIODIC, 100, "a.Sync"),
    Row(1, K.SET_ALARM, "a.Main", 2, action="a.TICK", target="a.Tick"),
    Row(2, K.SCHEDULE_JOB, "a.Main", 3, target="a.MyJob", action="7"),
    *(Row(100.0 * i, K.SERVICE_START, "a.Sync", 1) for i in (1, 2, 3)),
    Row(150, K.RECEIVE, "a.Tick", 2, action="a.TICK"),
    Row(160, K.JOB, "a.MyJob", 3, action="7"),
]
NOTED = [("alarm", SYNC)] * 3 + [("alarm", TICK), ("job", JOB)]


def differences(found: HistoryCheck | None) -> dict[str, tuple[int, int | None, str]]:
    assert found is not None
    return {one.tag: (one.recorded, one.in_history, one.difference) for one in found.tags}


def test_equal_counts_have_no_difference() -> None:
    found = check(made(ROWS, events(*NOTED)))
    assert differences(found) == {SYNC: (3, 3, ""), TICK: (1, 1, ""), JOB: (1, 1, "")}
    assert found is not None and (found.runs, found.unjoined) == (1, 0)
    assert {(one.tag, one.kind, one.modules) for one in found.tags} == {
        (SYNC, "wake_up", ("a.Sync",)),
        (TICK, "alarm", ("a.Tick",)),
        (JOB, "job", ("a.MyJob",)),
    }


def test_each_difference_is_named() -> None:
    more = [("alarm", SYNC), *NOTED[:3], ("alarm", "*alarm*:a.OLD"), ("job", "a/.Other")]
    assert differences(check(made(ROWS, events(*more)))) == {
        SYNC: (3, 4, "fewer_in_recording"),
        TICK: (1, 0, "only_in_recording"),
        JOB: (1, 0, "only_in_recording"),
        "*alarm*:a.OLD": (0, 1, "only_in_history"),
        "a/.Other": (0, 1, "only_in_history"),
    }
    assert differences(check(made(ROWS, events(*NOTED[1:]))))[SYNC] == (3, 2, "fewer_in_history")


def test_a_history_without_alarms_is_no_count_of_zero() -> None:
    found = check(made(ROWS, events(("job", JOB), alarms=False)))
    assert differences(found) == {
        SYNC: (3, None, "no_alarms_in_history"),
        TICK: (1, None, "no_alarms_in_history"),
        JOB: (1, 1, ""),
    }
    assert differences(check(made(ROWS, events(*NOTED[:4], jobs=False))))[JOB] == (1, None, "no_jobs_in_history")


def test_alarms_of_listeners_and_jobs_of_work_are_named() -> None:
    rows = [Row(0, K.SET_ALARM, "", 0, Flag.WAKE_UP, action="sync", target="a.Main$1"), Row(9, K.WORK, "a.Worker", 5)]
    found = check(made(rows, events(("alarm", "*walarm*:sync"), ("job", WORK))))
    assert differences(found) == {"*walarm*:sync": (0, 1, "listener"), WORK: (0, 1, "work")}


def test_an_alarm_that_is_set_but_does_not_go_off_is_no_difference() -> None:
    assert differences(check(made(ROWS[:3], events()))) == {}


def test_an_alarm_whose_intent_is_not_known_has_no_tag() -> None:
    assert differences(check(made([Row(0, K.SET_ALARM, "a.Main", 0, Flag.LEAVES_APP)], events()))) == {}


def test_runs_without_history_do_not_count() -> None:
    assert check(made(ROWS, None)) is None
    found = check(made(ROWS, None), made(ROWS, events(*NOTED)), made(ROWS, events(*NOTED, unjoined=2)))
    assert differences(found) == {SYNC: (6, 6, ""), TICK: (2, 2, ""), JOB: (2, 2, "")}
    assert found is not None and (found.runs, found.unjoined) == (2, 2)


@pytest.mark.parametrize(
    ("tag", "found"), [("a/.B", "a/.B"), ("x.y:a/.B", "a/.B"), ("@space@a/.B", "a/.B"), ("@s@x:a/.B$C", "a/.B$C")]
)
def test_tags_of_jobs_may_begin_with_other_names(tag: str, found: str) -> None:
    assert job_component(tag) == found


def test_components_are_short_within_their_package() -> None:
    assert [component("a.b", name) for name in ("a.b.C", "a.bc.C", "x.C")] == ["a.b/.C", "a.b/a.bc.C", "a.b/x.C"]


@needs_field_data
def test_tags_of_real_phones_have_the_known_forms() -> None:
    """Alarms begin with `*alarm*:` or `*walarm*:`, and jobs name a component."""
    alarms, jobs = set[str](), set[str]()
    for path in sorted((FIELD_DATA / "batterystats").iterdir()):
        dump = read_dump(path.read_bytes())
        for found, state in ((alarms, "alarm"), (jobs, "job")):
            found |= {one.tag for one in dump.of(state)}
    assert len(alarms) > 5 and len(jobs) > 10
    assert all(tag.startswith(("*alarm*:", "*walarm*:")) for tag in alarms if not tag.startswith("#"))
    assert all(re.fullmatch(r"[\w.]+/[\w.$]+", job_component(tag)) for tag in jobs if not tag.startswith("#"))

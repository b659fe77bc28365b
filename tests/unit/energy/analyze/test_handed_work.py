"""Work handed to other threads by the method that started it: records, and in reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from attribution_maker import MS, nested, run, thread
from hardware_maker import ABOUT, hooks, profile_of
from support.html_pages import Page
from support.reports import closed, data_of, printed, text_of
from support.run_tables import changed
from test_handed_tasks import Row, handoffs

from navitas.energy.analyze.handed_work import MAX_THREADS, UNKNOWN_STARTER
from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.hook_calls import HookKind
from navitas.recording.parse.tables import MethodTable
from navitas.report import json_report
from navitas.report.page import page_report
from navitas.report.terminal.terminal_report import TerminalReport

READ = int(HookKind.NET_READ)


def made(rows: Sequence[Row], *, pools: int = 1, classes: Sequence[str] = (), runs: int = 1) -> Profile:
    """m0 calls m2, which calls the API m1, on the main thread from 100 to 400 ms. Pool threads run m3."""
    main = thread(1, nested((100, 400, 0), (150, 390, 2), (200, 300, 1)), [(0, 0), (1000, 100)], name="main")
    pool = [thread(2 + i, nested((500, 900, 3)), [(0, 0), (1000, 1000)], name=f"pool-{'ab' * i}") for i in range(pools)]
    used = hooks([(0, 210, 290, 5000, HookKind.NET_READ, False, 7)])
    tables = changed(run([main, *pool], [(0, 1000)]), hooks=used, handoffs=handoffs(rows))
    profile = profile_of(*[tables] * runs, api_kinds=(0, READ))
    methods = [
        replace(method, class_name=classes[method.id] if method.id < len(classes) else method.class_name)
        for method in profile.method_table.methods
    ]
    return Profile(replace(profile.ledger, methods=MethodTable(tuple(methods), {})), ABOUT)


def test_the_starter_is_the_innermost_method_of_the_app() -> None:
    """The second task starts inside of a call of an API."""
    profile = made([(1, 500, 600, 0, 160), (1, 600, 650, 0, 250), (1, 700, 710, 0, 120)])
    outer, inner = sorted(profile.handed_work(), key=lambda one: one.id)
    assert (outer.id, inner.id) == (0, 2) and inner.method == profile.method_table.methods[2]
    assert (inner.tasks, inner.run_ns, outer.tasks, outer.run_ns) == (2, 150 * MS, 1, 10 * MS)
    assert inner.energy_j == pytest.approx(15 * outer.energy_j) and inner.energy_j == pytest.approx(sum(inner.components))
    assert len(inner.components) == len(profile.components) and inner.threads == ("pool-",)


def test_libraries_that_hand_on_work_are_skipped() -> None:
    rows = [(1, 500, 600, 0, 160)]
    assert [one.id for one in made(rows, classes=["a.C", "a.C", "kotlinx.coroutines.D"]).handed_work()] == [0]
    alone = made(rows, classes=["java.util.concurrent.E", "a.C", "kotlinx.coroutines.D"])
    assert [one.id for one in alone.handed_work()] == [2], "the innermost of all, without a method of the app"


def test_work_of_an_unknown_starter_has_a_record() -> None:
    (found,) = made([(1, 500, 600, -1, 160), (1, 600, 650, 0, 950), (-1, 600, 650, 0, 950)]).handed_work()
    assert (found.id, found.method, found.tasks, found.run_ns) == (UNKNOWN_STARTER, None, 3, 150 * MS)


@pytest.mark.parametrize(
    ("tasks", "note"), [(1, "1 task ran on a thread without probes"), (2, "2 tasks ran on threads without probes")]
)
def test_work_on_threads_without_probes_is_counted(tasks: int, note: str) -> None:
    profile = made([(1, 500, 600, 0, 160), *[(-1, 600, 650, 0, 160)] * tasks])
    (found,) = profile.handed_work()
    assert (found.tasks, found.unmeasured_tasks, found.run_ns) == (1 + tasks, tasks, 100 * MS)
    (entry,) = data_of(json_report.write, profile)["handed_work"]
    assert entry["unmeasured_tasks"] == tasks
    assert note in printed(TerminalReport(), profile, 200) and note in text_of(page_report.write, profile)


def test_runs_add_up_and_runs_without_probes_do_not_count() -> None:
    rows = [(1, 500, 600, 0, 160)]
    once, (twice,) = made(rows).handed_work()[0], made(rows, runs=2).handed_work()
    assert (twice.tasks, twice.run_ns, twice.energy_j) == (2, 2 * once.run_ns, pytest.approx(2 * once.energy_j))
    ledger = made(rows, runs=2).ledger
    bare = replace(ledger, runs=(replace(ledger.runs[0], baseline=True), ledger.runs[1]))
    assert Profile(bare, ABOUT).handed_work()[0].tasks == 1


def test_names_of_threads_are_bounded() -> None:
    count = MAX_THREADS + 3
    (found,) = made([(1 + i, 500, 600 + i, 0, 160) for i in range(count)], pools=count).handed_work()
    assert (len(found.threads), found.other_threads) == (MAX_THREADS, 3)
    assert found.threads[0] == "pool-" + "ab" * (count - 1), "the thread with the largest energy is first"


def test_reports_name_the_starter() -> None:
    profile = made([(1, 500, 600, 0, 160), (1, 700, 710, -1, 120)])
    report = data_of(json_report.write, profile)
    jsonschema.validate(report, closed(json_report.schema()))
    known, unknown = report["handed_work"]
    assert (known["class"], known["name"], known["tasks"], known["threads"]) == ("a.C", "m2", 1, ["pool-"])
    assert known["components"]["cpu"] == pytest.approx(known["energy_j"]) and known["run_ns"] == 100 * MS
    assert (unknown["id"], unknown["tasks"], unknown["run_ns"]) == (-1, 1, 10 * MS)
    text = printed(TerminalReport(), profile)
    assert "Work handed to other threads" in text and "who started it" in text
    assert [line.split()[0] for line in text.partition("Started by")[2].splitlines()[1:3]] == ["a.C.m2", "unknown"]


def test_the_page_names_the_starter_and_its_threads() -> None:
    rows = [(1 + i, 500, 600, 0, 160) for i in range(MAX_THREADS + 2)]
    profile = made([*rows, (1, 700, 710, -1, 120)], pools=len(rows), classes=["<b>&.C"] * 3)
    page = Page(text_of(page_report.write, profile))
    head, known, unknown = page.tables["handed-work"]
    assert head == ["Started by", "Ran on", "Energy", "Share", "Tasks", "Time"]
    assert known[0] == "<b>&.C.m2" and known[1].endswith(" and 2 more") and known[4] == f"{len(rows)}"
    assert unknown[0] == "unknown" and unknown[4] == "1"
    assert "Work handed to other threads" in page.headings


def test_without_handed_work_reports_are_as_before() -> None:
    profile = made([])
    assert "Work handed" not in printed(TerminalReport(), profile) and "handed_work" not in data_of(json_report.write, profile)
    assert "handed-work" not in text_of(page_report.write, profile)
    assert profile.handed_work() == () and np.array(profile.ledger.handed.energy_j).shape == (0, len(profile.components))

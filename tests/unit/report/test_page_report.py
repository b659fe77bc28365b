"""The page: its tables, its data, its bounds, and the escaping of names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from profile_maker import METHODS, one_run, profile, without_probes
from support.hostile_profile import HOSTILE, hostile_profile
from support.html_pages import Page, page_data
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec
from support.reports import text_of

import navitas
from navitas.base.html_page.templates import embedded_json
from navitas.base.units import UNBROKEN, joules
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute import measured_runs
from navitas.insight.compare.effect import effect_between
from navitas.insight.operations.rankings import RankedOperation
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.verdict import verdict_of
from navitas.recording.parse.tables import MethodTable
from navitas.report.change import changed
from navitas.report.page import page_report, page_tables, rendering
from navitas.report.page.differences import difference_ranges
from navitas.report.page.page_basis import PageBasis
from navitas.report.page.page_data import PageLimits
from navitas.report.page.page_data import page_data as page_columns
from navitas.report.page_request import EarlierRecording, PageRequest
from navitas.report.source_code import SourceCode

RECORDING = Path(__file__).parents[2] / "golden" / "recording-v1"


def data_of(made: Profile, request: PageRequest | None = None) -> dict[str, Any]:
    """Return the data that the page's scripts read."""
    data: dict[str, Any] = Page(text_of(page_report.write, made, page=request)).data["page-data"]
    return data


def columns(data: dict[str, Any], table: str) -> dict[str, list[Any]]:
    """Return a table of the data, whose columns must have one length."""
    found: dict[str, list[Any]] = data[table]
    lengths = {len(column) for name, column in found.items() if name not in ("by", "run")}
    assert len(lengths) == 1
    return found


def sums(data: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the app energy and all energy of the nodes of each test."""
    nodes, threads = columns(data, "nodes"), columns(data, "threads")
    found = [[0.0, 0.0] for _ in columns(data, "tests")["label"]]
    for test, thread, self_uj in zip(nodes["test"], nodes["thread"], nodes["self_uj"], strict=True):
        found[test][0] += self_uj * threads["app"][thread]
        found[test][1] += self_uj
    return [(app, total) for app, total in found]


def test_a_page_shows_the_profile(golden: Callable[[str, str], None]) -> None:
    made = profile(one_run(0, 10.0), one_run(1, 12.0, "failed", probes_j=0.5), one_run(2, 11.0))
    data = page_data(text_of(page_report.write, made))
    golden("report/html.json", json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def test_the_data_adds_up_to_the_tests() -> None:
    made = navitas.load(RECORDING, call_steps=True)
    data, groups = data_of(made), PageBasis(made).groups
    for (app_uj, total_uj), app, group in zip(sums(data), data["tests"]["app_uj"], groups, strict=True):
        assert app_uj == pytest.approx(app, rel=1e-4)
        assert total_uj == pytest.approx(1e6 * group.compensated_j.median, rel=1e-4)
    nodes, bins = columns(data, "nodes"), columns(data, "bins")
    by_node = [0.0] * len(nodes["self_uj"])
    for node, uj in zip(bins["node"], bins["uj"], strict=True):
        by_node[node] += uj
    assert by_node == pytest.approx(nodes["self_uj"], rel=1e-3, abs=1e-3), "energy over time adds up to that of the nodes"


def test_calls_have_no_times_if_the_analysis_left_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_runs, "FEW_EVENTS", 0)
    data = data_of(navitas.load(RECORDING))
    assert data["bins"] is None and data["timeline"] and data["nodes"]["self_uj"]


def test_a_thread_cannot_take_the_name_of_what_is_no_thread() -> None:
    names = ("(base)", "(other)", "(unattributed)", "(smaller threads)", "bad\x00\u202ename")
    test = one_run(0, 10.0)
    plain, named = (
        data_of(profile(replace(test, threads=(*test.threads, *(ThreadSpec(20 + i, name, 0.5) for i, name in enumerate(given))))))
        for given in (("a", "b", "c", "d", "e"), names)
    )
    threads = columns(named, "threads")
    shown = {name for name, is_app in zip(threads["name"], threads["app"], strict=True) if is_app}
    assert {f"thread {name}" for name in names[:4]} <= shown
    assert {"(base)", "(unattributed)"} <= set(threads["name"]) - shown
    series, expected = (data["timeline"][0]["threads"] for data in (named, plain))
    assert set(series) - {"(base)", "(other)"} <= shown, "they are text, with the names of the tree"
    assert len(series) == len(expected)
    assert sum(map(sum, series.values())) == pytest.approx(sum(map(sum, expected.values())))


def test_methods_have_the_energy_of_their_nodes() -> None:
    data = data_of(profile(one_run(0, 10.0)))
    methods, nodes = columns(data, "methods"), columns(data, "nodes")
    by_method = [0.0] * len(methods["label"])
    for method, uj in zip(nodes["method"], nodes["self_uj"], strict=True):
        if method >= 0:
            by_method[method] += uj
    assert by_method == pytest.approx(methods["self_uj"])


def test_with_repeats_all_figures_are_parts_of_the_medians_of_tests() -> None:
    made = profile(*(one_run(number, 10.0 + number**2) for number in range(3)), one_run(3, 50.0, "cut"))
    text = text_of(page_report.write, made)
    page, data = Page(text), data_of(made)
    assert text.count("4 runs each") == 1, "said once"
    app_uj = 1e6 * median(10.0 + number**2 - 2.5 for number in range(3))
    assert columns(data, "tests")["app_uj"] == [app_uj]
    assert sums(data)[0][0] == pytest.approx(app_uj)
    sort = next(row for row in page.tables["methods"] if row[0].startswith("org.example.Sorter.sort"))
    (self_uj,) = {
        uj
        for name, uj in zip(columns(data, "methods")["full"], columns(data, "methods")["self_uj"], strict=True)
        if name in sort[0]
    }
    assert sort[1] == joules(self_uj / 1e6) and sort[2] != "–"
    in_tree = sum(
        uj
        for method, uj in zip(data["nodes"]["method"], data["nodes"]["self_uj"], strict=True)
        if method >= 0 and columns(data, "methods")["full"][method] in sort[0]
    )
    assert in_tree == pytest.approx(self_uj), "the tree has the figure of the table"


def test_the_evidence_and_the_warnings_follow_the_answer() -> None:
    made = profile()
    evidence = replace(made.evidence[0], basis="<thread> clocks", expected_error=0.106)
    made.ledger = replace(made.ledger, evidence=(evidence,))
    text = text_of(page_report.write, made)
    assert "Evidence for CPU: thread-time (&lt;thread&gt; clocks). Expected error: half of all methods are off by" in text
    assert "mean power" in text and "of a full battery at this power" in text
    assert "3 [chunks] lost" in text and "Record again." in text
    assert text.index('id="methods"') < text.index('id="evidence"') < text.index('id="warnings"')


def test_names_are_text() -> None:
    text = text_of(page_report.write, hostile_profile())
    page = Page(text)
    assert page.names.isdisjoint({"img", "b>", "link", "object", "form", "base", "iframe", "template"})
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert scripts[0] == {"type": "application/json", "id": "page-data"} and not any(scripts[1:])
    assert not {name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"}
    assert not {name for _, attributes in page.tags for name in attributes if name in ("src", "href")}
    content, _, _ = text.partition("<script>")
    assert not {"\u202e", "\x00", "\u2028"} & set(content)
    assert "&lt;script&gt;document.title=" in text
    assert any("</script>" in name for name in page.data["page-data"]["methods"]["full"])
    data = re.search(r'id="page-data">(.*?)</script>', text, re.DOTALL)
    assert data is not None and not set("<>&\u2028") & set(data[1])


def test_names_are_cut() -> None:
    long = replace(METHODS.methods[0], class_name="a." + "B" * 100_000)
    text = text_of(page_report.write, profile(methods=MethodTable((long, *METHODS.methods[1:]), {})))
    assert "B" * 100 in text and "B" * 5_000 not in text


def test_embedded_json_stays_the_same_data() -> None:
    given = {"a": [*HOSTILE, "\u2029 & <", '"\\']}
    text = "".join(embedded_json([json.dumps(given, ensure_ascii=False)]))
    assert text.count("<") == 2
    assert json.loads(text[text.index(">") + 1 : text.rindex("</script>")]) == given


def test_cells_sort_by_numbers() -> None:
    assert 'data-number="10">10.0 J<' in text_of(page_report.write, profile(one_run(0, 12.5)))


def test_the_policy_allows_only_the_scripts_of_the_page() -> None:
    text = text_of(page_report.write, profile())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    assert rules["script-src"].count("'sha256-") == text.count("<script>")
    assert rules["style-src"].count("'sha256-") == 1 and "unsafe" not in policy[1]
    assert "://" not in policy[1]


def test_a_recording_without_calls_has_no_methods() -> None:
    bare = replace(one_run(0, 10.0), threads=(ThreadSpec(1, "main", 6.0, cpu_ns=5),), status="cut")
    made = profile(bare, replace(one_run(0, 0.0), threads=(), wall_ns=0, status="ignored"))
    page = Page(text_of(page_report.write, made))
    assert "methods" not in page.tables
    assert [row[-1] for row in page.tables["tests"]] == ["Status", "cut", "ignored"]


def test_the_data_has_tests_that_never_ran_last_and_failures() -> None:
    failed = replace(one_run(0, 10.0), status="failed", failure="SortTest.java:7: not sorted")
    idle = replace(one_run(0, 0.0), method="skips", threads=(), wall_ns=0, status="ignored")
    made = profile(failed, idle)
    data = data_of(made, PageRequest(EarlierRecording("old", made)))
    tests = columns(data, "tests")
    assert (tests["name"], tests["status"]) == (["sorts", "skips"], ["failed", "ignored"])
    assert tests["failure"] == ["SortTest.java:7: not sorted", ""]
    assert tests["app_uj"][1] is None and tests["wall_ms"][1] is None and tests["run"][1] == -1
    assert data["baseline"]["tests"]["app_uj"] == [tests["app_uj"][0], None]
    assert "SortTest.java:7: not sorted" in Page(text_of(page_report.write, made)).tables["tests"][1][0]


def test_no_test_at_all() -> None:
    made = profile(replace(one_run(0, 0.0), threads=(), wall_ns=0, status="failed"))
    text = text_of(page_report.write, made)
    assert "No test ran." in text and Page(text).data["page-data"]["tests"]["app_uj"] == [None]


def test_long_tables_end_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "PageLimits", lambda: PageLimits(rows=2))
    text = text_of(page_report.write, profile())
    assert len(Page(text).tables["methods"]) == 3
    assert "The page lists 2 of 3 methods, those with the most energy; the JSON report has all." in text


def test_a_page_of_many_tests_and_methods_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 3000
    many = tuple(replace(METHODS.methods[1], id=i, name=f"method{i}") for i in range(size))
    nodes = [NodeSpec(-1, method, 1, 1e-3 * (1 + method / size)) for method in range(size)]
    whole_j = sum(node.exclusive_j for node in nodes)
    large = replace(one_run(0, 10.0), threads=(ThreadSpec(1, "main", whole_j, cpu_ns=5, nodes=nodes),))
    others = [TestSpec("a.T", f"t{i}", 0, (ThreadSpec(1, "main", 1e-3),)) for i in range(100)]
    made = profile(large, *others, methods=MethodTable(many, {}))
    monkeypatch.setattr(rendering, "MAX_BYTES", 500_000)
    text = "".join(rendering.page_parts(PageBasis(made, max_tests=10)))
    assert len(text.encode()) <= 500_000
    data = Page(text).data["page-data"]
    assert data["tests"]["label"][-1] == "(91 smaller tests)" and data["tests"]["run"][-1] == -1
    assert sum(app for app, _ in sums(data)) == pytest.approx(1e6 * (whole_j + 0.1), rel=1e-4)


def test_the_difference_from_an_earlier_recording() -> None:
    before = EarlierRecording("old <rec>", profile(one_run(0, 9.0)))
    data = data_of(profile(one_run(0, 10.0)), PageRequest(before))
    baseline = data["baseline"]
    assert baseline["name"] == "old <rec>"
    assert baseline["tests"]["app_uj"] == [6.5e6]
    methods = columns(data, "methods")
    change = {
        label: now - then
        for label, now, then in zip(methods["label"], methods["self_uj"], baseline["methods"]["self_uj"], strict=True)
    }
    assert change == {"o.e.Sorter.sort": 1e6, "o.e.SortTest.sorts": 0, "o.e.Sorter.swap": 0}
    assert sum(baseline["nodes"]["self_uj"]) == pytest.approx(9e6)


def test_the_page_names_the_earlier_recording_and_another_device() -> None:
    made = profile()
    made.about = replace(made.about, device={**made.about.device, "model": "Other"}, power_profile={"name": "other"})
    said = PageBasis(profile(), PageRequest(EarlierRecording("old", made))).sentence
    assert said.endswith(
        " Not only the code differs: device (Other before, Made now), power profile (other before, made now), its content (none"
        " before, 0 now)."
    )


def test_the_page_names_other_evidence_mode_and_project() -> None:
    made = profile(one_run(0, 10.0))
    settings = {**made.about.settings, "mode": "tick", "repeat": 3}
    made.about = replace(made.about, project="other", settings=settings)
    made.ledger = replace(made.ledger, evidence=tuple(replace(each, level="sched") for each in made.ledger.evidence))
    said = PageBasis(profile(one_run(0, 10.0)), PageRequest(EarlierRecording("old", made))).sentence
    assert "Differences have no intervals: those take two runs of each recording." in said
    assert "setting mode (tick before, none now)" in said and "project (other before, sample now)" in said
    assert "evidence of cpu (sched before, " in said and "setting repeat" not in said


def test_differences_have_the_interval_of_the_runs() -> None:
    earlier = profile(one_run(0, 9.0), one_run(1, 9.1), one_run(2, 9.2))
    basis = PageBasis(
        profile(one_run(0, 10.0), one_run(1, 10.2), one_run(2, 10.4)), PageRequest(EarlierRecording("old", earlier))
    )
    (test,) = basis.groups
    before, after = basis.before.test(test).app_j.counted, test.app_j.counted
    effect = effect_between([np.array(before)], [np.array(after)], together=True)
    assert difference_ranges([basis.compared(test), None]) == [(effect.low_percent, effect.high_percent), None]
    (statement, *_) = verdict_of(basis, changed(basis, "old", Figures(earlier))).statements
    assert statement.text.replace(UNBROKEN, " ").startswith("Since old, app energy rose by 1.10 J (+16.6 %, 95 %: +10.6 %")


def test_methods_of_the_earlier_recording_only_are_listed_too() -> None:
    renamed = MethodTable((*METHODS.methods[:2], replace(METHODS.methods[2], name="exchange")), {})
    data = data_of(profile(), PageRequest(EarlierRecording("old", profile(methods=renamed))))
    methods, baseline = columns(data, "methods"), data["baseline"]
    assert methods["label"][-1] == "o.e.Sorter.exchange" and methods["note"][-1] == "only in the earlier recording"
    assert (methods["self_uj"][-1], baseline["methods"]["self_uj"][-1]) == (0, 1e6)
    assert baseline["methods"]["self_uj"][methods["label"].index("o.e.Sorter.swap")] == 0


def test_lines_of_source_code(tmp_path: Path) -> None:
    file = tmp_path / "src/org/example/Sorter.java"
    file.parent.mkdir(parents=True)
    file.write_text("\n" * 33 + "  void sort(int[] <values>) {\n")
    named = MethodTable(tuple(replace(method, file="Sorter.java") for method in METHODS.methods), {})
    made = profile(methods=named)
    request = PageRequest(sources=SourceCode(tmp_path))
    methods = columns(data_of(made, request), "methods")
    assert methods["code"] == ["void sort(int[] <values>) {", None, None]
    text = text_of(page_report.write, made, page=request)
    assert "<code>void sort(int[] &lt;values&gt;) {</code>" in text


def test_the_runs_without_probes_have_a_table() -> None:
    text = text_of(page_report.write, profile(one_run(0, 10.0, probes_j=1.0), without_probes(one_run(0, 9.0), 5.5)))
    assert Page(text).tables["probes"][0] == [
        "Test",
        "With probes",
        "By sampled cost",
        "Without probes",
        "Sampled cost is off by",
    ]
    assert "probes" not in Page(text_of(page_report.write, profile())).tables


def test_the_page_names_why_runs_do_not_count() -> None:
    """As the terminal does: a starved test looked like any other that passed."""
    waited = replace(one_run(1, 12.0, "failed"), waited_ns=900_000_000, starved_ns=900_000_000)
    page = Page(text_of(page_report.write, profile(one_run(0, 10.0), waited)))
    assert [row[-1] for row in page.tables["tests"]] == ["Status", "1 passed, 1 failed, 1 of them starved"]
    alone = Page(text_of(page_report.write, profile(replace(waited, repeat=0))))
    assert alone.tables["tests"][1][-1] == "failed, starved"


def test_the_page_has_the_notes_of_the_terminal() -> None:
    """Doubtful figures of methods, the paper's formula, what ± leaves out, the probes' cost, and energy outside of tests."""
    probed = replace(one_run(0, 10.0, probes_j=3.0), compensation=(5.0, 1.0, 4.25, 1.5))
    text = text_of(page_report.write, profile(probed, without_probes(probed, 2.0), alternative="paper1"))
    page = Page(text)
    sort = next(row for row in page.tables["methods"] if "Sorter.sort " in row[0])
    assert "1 call ended by an exception, 1 call without an end" in sort[0]
    assert page.tables["methods"][0][-1] == "Paper 1" and any(row[-1] == "15.0 J" for row in page.tables["methods"])
    assert page.tables["probes"][1][1:] == ["7.50 J", "2.50 J", "2.00 J", "+25.0 %"]
    plain = unescape(text).replace("\u00a0", " ").replace("<wbr>", "")
    for note in (
        "for all cores at full load",
        "4.25 J without.",
        "± leaves out the power profile's error",
        "outside of tests",
    ):
        assert note in plain


@pytest.mark.parametrize("has_cost", [True, False])
def test_executed_operations(*, has_cost: bool) -> None:
    first = RankedOperation("Addition_int_int", "Arithmetic", 5, 1e-9, 5e-9, 1.0, 1.0, has_cost)
    second = RankedOperation("<b>call</b>", "Function", 900, 0.0, 0.0, 0.0, 1.0, has_cost=False)
    text = text_of(page_report.write, profile(), page=PageRequest(operations=(first, second)))
    table = re.search(r'<table id="operations".*?</table>', text, re.DOTALL)
    assert table is not None
    assert ("Energy" in table[0], "5.00 nJ" in table[0], "estimates" in text) == (has_cost,) * 3
    assert (table[0].index("Addition_int_int") < table[0].index("&lt;b&gt;call")) == has_cost, "most energy, else most executions"
    assert 'id="operations"' not in text_of(page_report.write, profile())


def test_a_table_says_how_many_tests_it_leaves_out() -> None:
    many = [TestSpec("a.T", f"t{i}", 0, (ThreadSpec(1, "main", 1e-3),)) for i in range(100)]
    basis = PageBasis(profile(*many), max_tests=10)
    table = page_tables.tests_table(basis, 20)
    assert table is not None and len(table.rows) == 20
    assert "The page lists 20 of 100 tests, those with the most energy; the JSON report has all." in table.about
    assert page_columns(basis, PageLimits())["tests"]["label"][10:] == ["(90 smaller tests)"]

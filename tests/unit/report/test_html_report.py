"""The content of the HTML report, and the escaping of names."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import pytest
from profile_maker import METHODS, one_run, profile, without_probes
from support.hostile_profile import HOSTILE, hostile_profile
from support.html_pages import Page, page_data
from support.ledger_maker import NodeSpec, ThreadSpec
from support.reports import text_of

from navitas.base.html_page.page import Cell, embedded_json, table
from navitas.energy.analyze.flame_nodes import flame_nodes
from navitas.recording.parse.tables import MethodTable
from navitas.report import html_report, html_tables

VIEWER = ("/* before */", "/* viewer */", "/* after */")


@pytest.fixture(autouse=True)
def viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the flame graph viewer, which need not be installed."""
    monkeypatch.setattr(html_report, "viewer_scripts", lambda: VIEWER)
    monkeypatch.setattr(html_report, "_frame", lambda scripts: "<body>" + "".join(scripts))


def test_a_page_shows_the_profile(golden: Callable[[str, str], None]) -> None:
    made = profile(one_run(0, 10.0), one_run(1, 12.0, "failed", probes_j=0.5), one_run(2, 11.0))
    data = page_data(text_of(html_report.write, made))
    del data["data"]["flame-data"]["exporter"]  # Contains the version.
    golden("report/html.json", json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def test_the_summary_contains_the_evidence() -> None:
    made = profile()
    evidence = replace(made.evidence[0], basis="<thread> clocks", expected_error=0.106)
    made.ledger = replace(made.ledger, evidence=(evidence,))
    text = text_of(html_report.write, made)
    assert "thread-time</b> (&lt;thread&gt; clocks). Expected error: half of all methods are off by less than 11 %." in text
    assert "mean power" in text and "of a full battery at this power" in text
    assert "3 [chunks] lost" in text and "Record again." in text


def test_names_are_escaped() -> None:
    text = text_of(html_report.write, hostile_profile())
    page = Page(text)
    assert page.names.isdisjoint({"img", "b>", "link", "object", "form", "base"})
    assert [tag for tag, _ in page.tags].count("iframe") == 1
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "flame-data"}, {}]
    assert not {name for _, attributes in page.tags for name in attributes if name.startswith("on")}
    outside = {attributes["src"] for _, attributes in page.tags if "src" in attributes}
    outside |= {attributes["href"] for _, attributes in page.tags if "href" in attributes}
    assert not outside
    assert not {"\u202e", "\x00", "\u2028"} & set(text)
    assert "&lt;script&gt;document.title=" in text
    frames = [frame["name"] for frame in page.data["flame-data"]["shared"]["frames"]]
    assert any(HOSTILE[0] in name for name in frames), "names in data are unchanged"
    data = re.search(r'id="flame-data">(.*?)</script>', text, re.DOTALL)
    assert data is not None and not set("<>&\u2028") & set(data[1])


def test_embedded_json_stays_the_same_data() -> None:
    given = {"a": [*HOSTILE, "\u2029 & <", '"\\']}
    text = "".join(embedded_json([json.dumps(given, ensure_ascii=False)], "x"))
    assert text.count("<") == 2
    assert json.loads(text[text.index(">") + 1 : text.rindex("</script>")]) == given


def test_cells_sort_by_numbers() -> None:
    shown = table(["A", "B"], [["x", Cell("1.00 mJ", 1e-3)], ["y", Cell("–")]])
    assert '<td class=n data-number="0.001">1.00 mJ</td>' in shown
    assert "<td class=n>–</td>" in shown


def test_the_policy_allows_only_the_scripts_of_the_page() -> None:
    text = text_of(html_report.write, profile())
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    assert rules["script-src"].count("'sha256-") == 1 + len(VIEWER)
    assert "'unsafe-inline'" not in rules["script-src"] and "'unsafe-eval'" not in rules["script-src"]
    assert "://" not in policy[1]


def test_flame_graph_keeps_the_energy() -> None:
    data = Page(text_of(html_report.write, profile(one_run(0, 10.0), one_run(1, 12.0))))
    (graph,) = data.data["flame-data"]["profiles"]
    assert graph["endValue"] == pytest.approx(10e6), "the run nearest to the median"
    names = [frame["name"] for frame in data.data["flame-data"]["shared"]["frames"]]
    assert names[:2] == ["org.example.SortTest#sorts", "main"]


def test_a_page_without_a_viewer_explains_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_report, "viewer_scripts", lambda: ())
    text = text_of(html_report.write, profile())
    page = Page(text)
    assert "make viewer" in text and "iframe" not in page.names and not page.data
    assert {"tests", "methods", "threads"} <= set(page.tables)


def test_a_recording_without_calls_has_no_flame_graph_and_no_methods() -> None:
    bare = replace(one_run(0, 10.0), threads=(ThreadSpec(1, "main", 6.0, cpu_ns=5),), status="cut")
    page = Page(text_of(html_report.write, profile(bare, replace(one_run(0, 0.0), threads=(), wall_ns=0, status="ignored"))))
    assert "iframe" not in page.names and "methods" not in page.tables
    assert [row[-1] for row in page.tables["tests"]] == ["Status", "cut", "ignored"]


def test_long_tables_are_truncated_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_tables, "MAX_ROWS", 2)
    text = text_of(html_report.write, profile())
    assert len(Page(text).tables["methods"]) == 3
    assert "The page lists 2 of 3 methods, those with the most energy; the JSON report has all." in text


def test_the_flame_graph_is_bounded_and_written_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 2000
    many = tuple(replace(METHODS.methods[1], id=i, name=f"method{i}") for i in range(size))
    nodes = [NodeSpec(-1, method, 1, 1e-3 * (1 + method / size)) for method in range(size)]
    whole_j = sum(node.exclusive_j for node in nodes)
    large = replace(one_run(0, 10.0), threads=(ThreadSpec(1, "main", whole_j, cpu_ns=5, nodes=nodes),))
    monkeypatch.setattr(html_report, "flame_nodes", partial(flame_nodes, min_share=0.0, max_frames=100))
    parts = _Parts()
    html_report.write(profile(large, methods=MethodTable(many, {})), parts)
    text = "".join(parts.parts)
    (graph,) = Page(text).data["flame-data"]["profiles"]
    assert len(graph["events"]) <= 2 * (100 + 10)
    assert graph["endValue"] == pytest.approx(1e6 * (whole_j + 2.5))
    assert "are summed up as <i>smaller</i>: 1,9" in text
    assert len(parts.parts) > 10


class _Parts(io.StringIO):
    """Keeps the chunks that are written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def writelines(self, parts: Iterable[str], /) -> None:
        self.parts.extend(parts)


def test_the_page_names_why_runs_do_not_count() -> None:
    """As the terminal does: a starved test looked like any other that passed."""
    waited = replace(one_run(1, 12.0, "failed"), waited_ns=900_000_000, starved_ns=900_000_000)
    page = Page(text_of(html_report.write, profile(one_run(0, 10.0), waited)))
    assert [row[-1] for row in page.tables["tests"]] == ["Status", "1 passed, 1 failed, 1 starved"]
    alone = Page(text_of(html_report.write, profile(replace(waited, repeat=0))))
    assert alone.tables["tests"][1][-1] == "failed, starved"
    assert ("span", {"class": "unfit"}) in alone.tags


def test_the_page_has_the_notes_of_the_terminal() -> None:
    """Doubtful figures of methods, the paper's formula, what ± leaves out, the probes' cost, and energy outside of tests."""
    probed = replace(one_run(0, 10.0, probes_j=3.0), compensation=(5.0, 1.0, 4.25, 1.5))
    text = text_of(html_report.write, profile(probed, without_probes(probed, 2.0), alternative="paper1"))
    page = Page(text)
    sort = next(row for row in page.tables["methods"] if "Sorter.sort " in row[0])
    assert "1 call ended by an exception, 1 call without an end" in sort[0]
    assert page.tables["methods"][0][-1] == "Paper 1" and any(row[-1] == "15.0 J" for row in page.tables["methods"])
    assert page.tables["probes"][1][1:] == ["7.50 J", "2.50 J", "2.00 J", "+25.0 %"]
    plain = text.replace("\u00a0", " ")
    for note in ("for all cores at full load", "4.25 J without.", "± does not include the error", "outside of tests"):
        assert note in plain
    assert "probes" not in Page(text_of(html_report.write, profile())).tables

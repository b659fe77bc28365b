"""`navitas fleet report`: pages that load nothing, with hostile app names, of a fleet and of one app."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.html_pages import Page
from support.open_fleet import fleet_of

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.figures import with_interval
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.schema import pseudonym
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import Store

GOLDEN = Path(__file__).parents[2] / "golden" / "recording-v1"
HOSTILE = (
    "<script>document.title='taken'</script>",
    '"><img src=x onerror="document.title=1">',
    "</style></svg><iframe src=//example.org>",
    "\u202egro.live & <b>co</b>\x00",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A fleet whose hogs have hostile names, except for one with the name of the golden recording's app."""
    made = Store.create(tmp_path_factory.mktemp("fleet") / "store", buckets=2, salt="s")
    simulate(made, FleetModel(clients=150, samples=45_000, apps=100, hog_share=0.15, bug_share=0.01), seed=6)
    truth = pq.read_table(made.path / "truth/apps.parquet").to_pylist()
    hogs = sorted({row["app"] for row in truth if row["is_hog"]})
    bugs = sorted({row["app"] for row in truth if row["has_bugs"]})
    package = re.findall(r'"package": *"([^"]*)"', (GOLDEN / "manifest.json").read_text())[0]
    called = dict(zip(hogs, [package, *(f"{HOSTILE[i % 4]}{i}" for i in range(len(hogs)))], strict=False))
    called |= {app: f"{HOSTILE[i % 4]} bug {i}" for i, app in enumerate(bugs)}
    rows = [{**row, "app": called.get(row["app"], row["app"])} for row in made.packages().to_pylist()]
    made.write_packages(pa.Table.from_pylist(rows, made.packages().schema))
    return made


@pytest.fixture(scope="module")
def page(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    fleet = fleet_of(store)
    names, hogs = fleet.app_names, find_hogs(fleet)
    assert len({names[app] for app in hogs.app[hogs.is_hog].tolist()}) > 3
    file = tmp_path_factory.mktemp("page") / "report.html"
    client = pseudonym(int(score_clients(fleet).client[0]))
    call = ["fleet", "report", str(store.path), "-o", str(file), "--client", client, "--recordings", str(GOLDEN.parent)]
    assert run(call) == ExitCode.OK
    return file


def test_a_page_is_whole_and_loads_nothing(page: Path) -> None:
    text = page.read_text("utf-8")
    shown = Page(text)
    assert shown.names.isdisjoint({"img", "iframe", "link", "object", "b>co", "form"})
    attributes = {name for _, given in shown.tags for name in given}
    assert not {name for name in attributes if name.startswith("on") or name in ("src", "style")}
    assert {given["href"] for _, given in shown.tags if "href" in given} == {"#methods-0"}, "a hog leads to its methods"
    assert "methods-0" in shown.tables and {"hogs", "bugs", "apps", "actions"} <= shown.tables.keys()
    assert "&lt;script&gt;document.<wbr>title=" in text
    assert not {"\u202e", "\x00"} & set(text)
    assert {"Hogs", "With and without", "Bugs", "J-scores", "All apps"} <= set(shown.headings)
    assert len([tag for tag, given in shown.tags if "interval" in (given.get("class") or "")]) > 5
    assert [row[-1] for row in shown.tables["hogs"]][:2] == ["FDR", "<0.0001"]
    assert text.count("An association is not a cause") >= 4, "next to each claim"


def test_the_page_of_an_app_has_the_figures_of_its_json(store: Store, tmp_path: Path) -> None:
    app = f"{HOSTILE[0]}0"
    assert app in store.packages()["app"].to_pylist()
    call = [
        "fleet",
        "report",
        str(store.path),
        "--app",
        app,
        "-o",
        str(tmp_path / "app.html"),
        "--json",
        str(tmp_path / "app.json"),
    ]
    assert run(call) == ExitCode.OK
    shown, written = Page((tmp_path / "app.html").read_text("utf-8")), json.loads((tmp_path / "app.json").read_text())
    assert shown.names.isdisjoint({"img", "iframe", "link", "object", "b>co", "form"})
    assert [row["app"] for row in written["verdicts"]] == [app]
    for kind in ("version", "week", "os", "model"):
        rows = [row for row in written["drains"] if row["by"] == kind]
        figures = {
            row["value"]: with_interval(*(row[f"extra_{end}percent_h"] for end in ("", "low_", "high_")), 2) for row in rows
        }
        table = shown.tables[f"{kind}-drains"]
        extra = table[0].index("Extra %/h")
        assert {row[0]: row[extra] for row in table[1:]} == figures and figures


def test_errors_of_the_report_are_printed(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["fleet", "report", str(store.path), "-o", str(tmp_path / "x.html")]
    assert run([*call, "--recordings", str(tmp_path)]) == ExitCode.USAGE
    assert "has no recording" in capsys.readouterr().err
    assert run([*call, "--client", "missing"]) == ExitCode.TROUBLE
    assert "no client is called missing" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()

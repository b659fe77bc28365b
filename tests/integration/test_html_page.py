"""The HTML report in a real browser: it draws its flame graph, sorts, searches and loads nothing, for any names."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from navitas.report.html_report import viewer_scripts
from support.browser_session import Session, browser_session
from support.hostile_profile import HOSTILE, hostile_profile

import navitas
from navitas.report import html_report

GOLDEN = Path(__file__).parents[1] / "golden" / "recording-v1"
TAB, ENTER = ("Tab", 9), ("Enter", 13)
DRAWN = "document.documentElement.dataset.flame === 'drawn'"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a recording."""
    return _written(tmp_path_factory.mktemp("page") / "report.html", navitas.load(GOLDEN))


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a profile with hostile names."""
    return _written(tmp_path_factory.mktemp("page") / "hostile.html", hostile_profile())


@pytest.fixture(scope="module")
def window(browser: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A browser. Each test opens a page of its own."""
    with browser_session(browser, tmp_path_factory.mktemp("browser") / "profile") as session:
        yield session


def _written(path: Path, profile: navitas.Profile) -> Path:
    if not viewer_scripts():
        pytest.skip("the flame graph viewer is missing: make viewer")
    with path.open("w", encoding="utf-8") as out:
        html_report.write(profile, out)
    return path


def _colors(window: Session) -> int:
    """The number of colors with large areas in the flame graph's frame; 0 if it draws no frames."""
    window.run("document.getElementById('flame').scrollIntoView()")
    box = window.run(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {"
        " const r = document.getElementById('flame').getBoundingClientRect(); done([r.left, r.top, r.right, r.bottom]) })))"
    )
    left, top, right, bottom = (max(0, round(edge)) for edge in box)
    image = imread(io.BytesIO(window.screenshot()), format="png")[top:bottom, left:right, :3]
    codes = (np.rint(image * 255).astype(np.int64) * (1 << 16, 1 << 8, 1)).sum(axis=2)
    return int((np.unique(codes, return_counts=True)[1] > 300).sum())


def _column(window: Session, table: str, column: int) -> list[str]:
    cells = f"Array.from(document.getElementById('{table}').tBodies[0].rows, (row) => row.cells[{column}]"
    found: list[str] = window.run(f"{cells}.dataset.number || row.cells[{column}].textContent)")
    return found


def _sort_by(window: Session, table: str, column: int) -> str:
    head = f"document.getElementById('{table}').tHead.rows[0].cells[{column}]"
    window.run(f"{head}.querySelector('button').click()")
    order: str = window.run(f"{head}.getAttribute('aria-sort')")
    return order


def test_the_page_draws_the_flame_graph_and_loads_nothing(page: Path, window: Session) -> None:
    window.open(page)
    window.wait_for(DRAWN)
    while _colors(window) < 8:  # the browser draws the image a few frames later
        pass
    assert window.console == []
    assert window.requests == [page.as_uri()]
    assert window.run("document.getElementById('flame-status').hidden")


def test_the_pages_policy_blocks_requests_and_foreign_scripts(page: Path, tmp_path: Path, window: Session) -> None:
    """The tests above rely on this: a request and a foreign script are blocked, and detected."""
    wrong = tmp_path / "wrong.html"
    wrong.write_text(page.read_text("utf-8").replace("</body></html>", "<script>document.title='taken'</script></body></html>"))
    window.open(wrong)
    assert window.run("document.title") != "taken"
    assert window.run("fetch('https://example.org/').then(() => 'loaded', () => 'refused')") == "refused"
    assert sum("Content Security Policy" in line for line in window.console) >= 2


def test_headings_sort_and_search_filters(page: Path, window: Session) -> None:
    window.open(page)
    assert _sort_by(window, "methods", 2) == "descending"
    down = [float(cell) for cell in _column(window, "methods", 2)]
    assert down == sorted(down, reverse=True) and len(set(down)) > 2
    assert _sort_by(window, "methods", 2) == "ascending"
    assert [float(cell) for cell in _column(window, "methods", 2)] == down[::-1]
    assert _sort_by(window, "methods", 0) == "ascending"
    names = _column(window, "methods", 0)
    assert [name.split("Sort")[1][0].lower() for name in names] == ["e"] * 3 + ["t"] * (len(names) - 3)
    assert _sort_by(window, "methods", 0) == "descending"
    assert _column(window, "methods", 0) == names[::-1]
    window.run(
        "const search = document.querySelector('input[data-table=methods]'); search.value = 'sorter MERGE';"
        " search.dispatchEvent(new Event('input'))"
    )
    visible = window.run("Array.from(document.querySelectorAll('#methods tbody tr:not([hidden])'), (row) => row.innerText)")
    assert visible and all("Sorter.merge" in row for row in visible) and len(visible) < len(names)
    assert window.run("document.getElementById('methods-count').textContent") == f"{len(visible)} of {len(names)}"


def test_hostile_names_are_shown_as_text(hostile_page: Path, window: Session) -> None:
    window.open(hostile_page)
    window.wait_for(DRAWN)
    assert window.run("document.title").endswith(" – energy")
    assert window.run("document.querySelectorAll('img, object, iframe:not(#flame), main b').length") == 0
    shown = window.run("document.body.innerText")
    for text in HOSTILE[:3]:
        assert text in shown
    assert window.console == []
    assert window.requests == [hostile_page.as_uri()]


@pytest.mark.parametrize("dark", [False, True])
def test_light_and_dark(page: Path, window: Session, dark: bool) -> None:
    window.open(page, dark=dark)
    window.wait_for(DRAWN)
    paper, ink = (
        sum(map(int, color.removeprefix("rgb(").removesuffix(")").split(",")))
        for color in window.run("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    )
    assert (paper < 150 and ink > 500) if dark else (paper > 700 and ink < 200)


def test_a_narrow_window_shows_the_whole_page(page: Path, window: Session) -> None:
    window.open(page, width=400, height=800)
    window.wait_for(DRAWN)
    assert window.run("document.documentElement.scrollWidth") <= 400, "only tables scroll horizontally"
    wide = window.run("Array.from(document.querySelectorAll('.scroll'), (each) => each.scrollWidth > each.clientWidth)")
    assert any(wide)
    assert window.run("document.getElementById('flame').getBoundingClientRect().width") > 300


def test_the_page_can_be_used_by_keyboard(page: Path, window: Session) -> None:
    window.open(page)
    window.wait_for(DRAWN)
    seen: list[str] = []
    focus = (
        "(() => { const e = document.activeElement;"
        " return e.id || e.dataset.table || e.closest('table')?.id || e.className || e.tagName })()"
    )
    window.run("document.querySelector('#tests').closest('section').querySelector('input').focus()")
    for _ in range(30):
        window.press(*TAB)
        seen.append(window.run(focus))
        if seen[-1] == "methods":
            break
    assert {"scroll", "tests"} <= set(seen)
    while window.run("document.activeElement.closest('table')?.id") != "methods":
        window.press(*TAB)
    window.press(*ENTER)
    assert window.run("document.activeElement.closest('th').getAttribute('aria-sort')") == "ascending"
    unnamed = "table.sortable:not([aria-labelledby]), iframe:not([title]), button:empty"
    assert window.run(f"document.querySelectorAll('{unnamed}').length") == 0


def test_without_webgl_the_page_reports_it_and_the_tables_work(page: Path, browser: str, tmp_path: Path) -> None:
    with browser_session(browser, tmp_path / "profile", "--disable-3d-apis") as window:
        window.open(page)
        window.wait_for("document.getElementById('flame-status').textContent.includes('needs WebGL')")
        assert window.run("document.getElementById('flame').hidden")
        assert _sort_by(window, "methods", 2) == "descending"

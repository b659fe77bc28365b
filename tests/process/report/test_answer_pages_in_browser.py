"""The pages of comparisons, histories, fleets and apps in a real browser: they fit, sort, switch colors, and load nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.answer_pages import PLAIN, TEXTS
from support.hostile_profile import HOSTILE
from support.page_browser import Opened, PageBrowser, axe_source
from support.page_views import BREAKS_IN_WORDS

Open = Callable[..., Opened]
FIGURES = {"comparison": "Before", "history": "Sessions", "fleet": "Clients", "app": "Clients"}
"""A column of each page's main table that has figures."""
MAIN_TABLES = {"comparison": "changes", "history": "trends", "fleet": "hogs", "app": "version-drains"}
PAGES = pytest.mark.parametrize("page", TEXTS)


@pytest.fixture
def open_page(chromium: PageBrowser, tmp_path: Path) -> Iterator[Open]:
    """Opens a page by its name. At the end, checks that the console had no message and nothing was requested."""
    opened: list[tuple[Opened, Path]] = []

    def write_and_open(page: str, names: tuple[str, ...] = PLAIN, **options: object) -> Opened:
        path = tmp_path / f"{page}.html"
        path.write_text(TEXTS[page](names), "utf-8")
        opened.append((chromium.open(path, **options), path))  # type: ignore[arg-type]
        return opened[-1][0]

    yield write_and_open
    for shown, path in opened:
        assert shown.console == []
        assert shown.requests == [path.as_uri()]


@PAGES
@pytest.mark.parametrize("width", [360, pytest.param(1600, marks=pytest.mark.extended)])
def test_a_page_fits(open_page: Open, page: str, width: int) -> None:
    shown = open_page(page, width=width, dark=width == 360).page
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate(BREAKS_IN_WORDS) == []


@PAGES
@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.extended), True])
def test_a_page_is_accessible(open_page: Open, page: str, dark: bool) -> None:
    source, shown = axe_source(), open_page(page, dark=dark).page
    shown.evaluate(source)
    violations = shown.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in violations if one["impact"] in ("serious", "critical")] == []


@PAGES
def test_tables_sort_and_colors_switch(open_page: Open, page: str) -> None:
    opened, table = open_page(page), MAIN_TABLES[page]
    heads = opened.page.locator(f"#{table} thead th")
    everything = opened.page.locator(f"#{table}-view").get_by_role("button", name="All columns")
    if everything.is_visible():
        everything.click()
    names = opened.column(table, 0)
    heads.nth(0).get_by_role("button").click()
    assert heads.nth(0).get_attribute("aria-sort") == "ascending"
    assert sorted(opened.column(table, 0)) == sorted(names) and len(names) > 2
    number = heads.all_inner_texts().index(FIGURES[page])
    heads.nth(number).get_by_role("button").click()
    values = opened.page.eval_on_selector_all(
        f"#{table} tbody tr", f"(rows) => rows.map((row) => Number(row.cells[{number}].dataset.number))"
    )
    assert values == sorted(values, reverse=True)
    opened.page.get_by_role("combobox", name="Colors").select_option("dark")
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 21, 28)"


@PAGES
def test_hostile_names_are_text(open_page: Open, page: str) -> None:
    opened = open_page(page, HOSTILE)
    assert opened.page.locator("img, iframe, object, main script").count() == 0
    assert opened.page.title() not in ("taken", "1")
    assert "<img src=x onerror=" in opened.text("main") and "</script>" in opened.text("main")
    assert not {"\u202e", "\x00"} & set(opened.page.content())


@PAGES
def test_without_scripts_a_page_can_be_read(open_page: Open, page: str) -> None:
    opened = open_page(page, scripts=False, width=360)
    assert opened.page.locator(".statement").count() >= 2
    assert len(opened.column(MAIN_TABLES[page], 0)) > 2 and opened.page.locator("main svg").count() > 2


@PAGES
def test_the_policy_refuses_foreign_scripts(chromium: PageBrowser, tmp_path: Path, page: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(TEXTS[page]().replace("</body>", "<script>document.title='taken'</script></body>"), "utf-8")
    opened = chromium.open(path)
    assert opened.page.title() != "taken" and "Content Security Policy" in " ".join(opened.console)

"""The tables of the report page, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.page_browser import PageBrowser, written_page
from support.page_views import DATA, METHOD, SMALL, Open, choose, energy_of, is_close, joules, summary


def test_a_method_and_a_test_are_selected_in_their_tables(sample: Open) -> None:
    opened = sample()
    opened.page.locator("#methods .pick").nth(METHOD).click()
    full = DATA["methods"]["full"][METHOD]
    expected_uj = energy_of(DATA, full=full)
    assert is_close(summary(opened), expected_uj)
    shown = dict(zip(opened.column("tests", 0), opened.column("tests", 1), strict=True))
    assert abs(sum(map(joules, shown.values())) - expected_uj) < 0.01 * expected_uj
    assert len(opened.column("methods", 0)) == 20, "other methods stay available, the first of them in view"
    opened.page.locator("#tests .pick").first.click()
    name, label = shown and next(iter(shown)).split("\n")[0], DATA["tests"]["label"]
    row = DATA["tests"]["name"].index(name)
    assert is_close(summary(opened), energy_of(DATA, full=full, test=label[row]))
    opened.page.get_by_role("button", name=re.compile("Remove: Method")).click()
    assert is_close(summary(opened), energy_of(DATA, test=label[row]))


def test_intervals_are_shown_where_they_hold(sample: Open) -> None:
    opened = sample()
    assert all("±" in cell for cell in opened.column("methods", 1))
    choose(opened, "Test", DATA["tests"]["label"][0])
    assert not all("±" in cell for cell in opened.column("methods", 1))
    assert "±" in opened.column("tests", 1)[0], "the choice of a test doesn't change the table of tests"


def test_headings_sort(sample: Open) -> None:
    opened = sample()
    heads = opened.page.locator("#methods thead button")
    energies = [joules(cell) for cell in opened.column("methods", 1)]
    assert energies == sorted(energies, reverse=True)
    assert opened.page.locator("#methods th").nth(1).get_attribute("aria-sort") == "descending"
    heads.nth(1).click()
    energies = [joules(cell) for cell in opened.column("methods", 1)]
    assert energies == sorted(energies) and energies[0] <= min(map(float, DATA["methods"]["self_uj"])) * 1.01
    heads.nth(0).click()
    names = [cell.split("\n")[0] for cell in opened.column("methods", 0)]
    assert names == sorted(DATA["methods"]["label"], key=lambda name: [_natural(part) for part in re.split(r"(\d+)", name)])[:20]


def _natural(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdigit() else (1, 0, part.lower())


def test_a_table_of_the_document_sorts_and_filters_by_words(
    chromium: PageBrowser, pages: Callable[[str], Path], tmp_path: Path
) -> None:
    """Such as that of threads, here with nine rows."""
    row = '<tr><td><code>pool {}</code></td><td class="n" data-number="{}">{} J</td></tr>'
    rows = "".join(row.format(number % 3, number * 5 % 9, number) for number in range(9))
    body = re.compile(r'(<table id="threads".*?<tbody>).*?(</tbody>)', re.DOTALL)
    path = tmp_path / "page.html"
    path.write_text(body.sub(rf"\g<1>{rows}\g<2>", pages("recorded").read_text("utf-8")), "utf-8")
    opened = chromium.open(path)
    opened.page.get_by_role("searchbox", name="Search this table").fill("POOL 1")
    assert opened.column("threads", 0) == ["pool 1"] * 3
    assert opened.text("#threads-view output") == "3 of 9"
    opened.page.locator("#threads thead button").nth(1).click()
    assert opened.column("threads", 1) == ["7 J", "1 J", "4 J"], "by its numbers, largest first"
    opened.page.locator("#threads thead button").nth(1).click()
    assert opened.column("threads", 1) == ["4 J", "1 J", "7 J"]
    assert opened.console == []


def test_tests_that_never_ran_are_listed_last_and_cannot_be_selected(chromium: PageBrowser, tmp_path: Path) -> None:
    texts = {"label": "SkipTest.skips", "class": "SkipTest", "name": "skips", "status": "ignored", "run": -1}
    row = {**texts, "start_ms": 0, "end_ms": 0}
    tests = {name: [*values, row.get(name)] for name, values in SMALL["tests"].items()}
    tests["failure"] = ["Of.java:7: no", *[""] * (len(tests["label"]) - 1)]
    opened = chromium.open(written_page(tmp_path / "idle.html", {**SMALL, "tests": tests}), "")
    rows = opened.page.evaluate("[...document.querySelectorAll('#tests tbody tr')].map((row) => row.textContent)")
    assert "skips" in rows[-1] and rows[-1].count("–") >= 4 and "ignored" in rows[-1]
    assert sum("Of.java:7: no" in text for text in rows) == 1
    opened.page.evaluate("document.querySelector('#tests tbody tr:last-child .pick').click()")
    assert opened.address() == ""
    options = opened.page.eval_on_selector_all("#filters option", "(options) => options.map((option) => option.value)")
    assert texts["label"] not in options and SMALL["tests"]["label"][0] in options
    assert opened.console == []


def test_rows_are_made_when_they_are_needed(sample: Open) -> None:
    opened = sample()
    assert opened.page.locator("#methods tbody tr").count() == 20
    for count in (40, len(DATA["methods"]["label"])):
        opened.page.evaluate("document.querySelector('#methods').closest('.scroll').scrollTop = 1e6")
        opened.page.wait_for_selector(f"#methods tbody tr:nth-child({count})")


def test_tables_are_copied_as_markdown(sample: Open) -> None:
    opened = sample(f"#text={DATA['methods']['label'][METHOD]}")
    opened.page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve() }")
    opened.page.locator("#methods-view").get_by_role("button", name="Copy as Markdown").click()
    lines = opened.page.evaluate("copied").splitlines()
    assert lines[0].startswith("| Method | Self | Share | Self power | Inclusive | Calls | Per call |")
    assert lines[1].startswith("| --- | ---: | ---: |")
    assert DATA["methods"]["label"][METHOD].replace("_", "\\_") in lines[2]
    opened.page.locator("#tree").get_by_role("button", name="Copy as Markdown").click()
    assert opened.page.evaluate("copied").startswith("| Call | Inclusive | Share |")
    opened.page.locator("#threads-view").get_by_role("button", name="Copy as Markdown").click()
    assert opened.page.evaluate("copied").splitlines()[1].startswith("| --- | ---: |")


def test_tables_by_keyboard(sample: Open) -> None:
    opened = sample()
    opened.page.locator("#methods .pick").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "End", "Home", "ArrowDown", "Enter"):
        opened.page.keyboard.press(key)
    assert f"method={DATA['methods']['full'][1]}" in opened.address()
    assert opened.page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    opened.page.keyboard.press("Enter")
    assert "method=" not in opened.address()
    assert opened.page.locator('#methods .pick[tabindex="0"]').count() == 1, "Tab reaches a table once"


_CUTS_NO_ROW = """async () => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return [...document.querySelectorAll("#where .scroll, .rows")].every((frame) => {
    const end = frame.getBoundingClientRect().bottom - 1;
    const rows = [...frame.querySelectorAll("tbody tr")].map((row) => row.getBoundingClientRect());
    return rows.length > 0 && !rows.some(({ top, bottom }) => top < end - 1 && bottom > end + 1);
  });
}"""


@pytest.mark.parametrize("width", [420, 1000])
def test_boxes_end_below_a_row(sample: Open, width: int) -> None:
    opened = sample(width=width)
    assert opened.page.evaluate(_CUTS_NO_ROW)
    choose(opened, "Thread", "main")
    assert opened.page.evaluate(_CUTS_NO_ROW)

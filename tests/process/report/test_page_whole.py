"""The report page in a real browser, as a whole: how it fits, reads, prints and loads nothing, for any names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.hostile_profile import HOSTILE
from support.page_browser import GOLDEN, PageBrowser, axe_source, written_page
from support.page_sample import COMPONENTS, page_sample
from support.page_views import BREAKS_IN_WORDS, DATA, SMALL, Open, choose, energy_of, is_close, summary

import navitas
from navitas.base.html_page.templates import _command_parts
from navitas.report.page import page_report
from navitas.report.page_request import EarlierRecording, PageRequest

EXTENDED = pytest.mark.extended
SETTLED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Two frames, after which tables fit."""


@pytest.mark.parametrize("width", [360, pytest.param(420, marks=EXTENDED), 1000, 1600, pytest.param(2000, marks=EXTENDED)])
@pytest.mark.parametrize("name", ["recorded", "sample"])
def test_pages_fit(chromium: PageBrowser, pages: Callable[[str], Path], name: str, width: int) -> None:
    """No horizontal scroll, and no name broken inside a word that fits."""
    opened = chromium.open(pages(name), width=width)
    assert opened.console == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.page.evaluate(BREAKS_IN_WORDS) == []


SELECTED = f"#method={SMALL['methods']['full'][1]}&from=1000&to=5000"
WINDOWS = [(360, True), (420, False), (420, True), (1000, False), (1600, False), (1600, True), (360, False), (1000, True)]


@pytest.mark.parametrize(
    ("fragment", "width", "dark"),
    [
        pytest.param(
            fragment, *window, marks=[] if (fragment, window) in ((SELECTED, (360, True)), ("", (1000, False))) else EXTENDED
        )
        for fragment in ("", SELECTED)
        for window in WINDOWS
    ],
)
def test_pages_are_accessible(chromium: PageBrowser, pages: Callable[[str], Path], fragment: str, width: int, dark: bool) -> None:
    """axe-core has no serious finding."""
    check = axe_source()
    opened = chromium.open(pages("small"), fragment, width=width, dark=dark)
    opened.page.evaluate(check)
    violations = opened.page.evaluate("axe.run()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in violations if one["impact"] in ("serious", "critical")] == []


def test_the_page_draws_all_parts_and_loads_nothing(chromium: PageBrowser, pages: Callable[[str], Path]) -> None:
    path = pages("recorded")
    opened = chromium.open(path)
    assert opened.console == []
    assert opened.requests == [path.as_uri()]
    assert opened.page.locator("#timeline path.area").count() >= 1
    assert opened.page.locator("#tree tbody tr").count() > 3
    colors = opened.page.evaluate(
        "(() => { const c = document.querySelector('#flame .stage:not([hidden]) canvas');"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; const seen = new Map();"
        " for (let i = 0; i < d.length; i += 4) { const k = d[i] << 16 | d[i + 1] << 8 | d[i + 2];"
        " seen.set(k, (seen.get(k) ?? 0) + 1) } return [...seen.values()].filter((n) => n > 300).length })()"
    )
    assert colors >= 4


WATCH_READS = """
(() => {
  const parse = JSON.parse;
  window.unread = new Set();
  const watched = (value, path) => {
    if (Array.isArray(value)) return typeof value[0] === "object" && value[0] ? value.map((item) => watched(item, path)) : value;
    if (value === null || typeof value !== "object") return value;
    for (const [key, part] of Object.entries(value)) {
      unread.add(`${path}.${key}`);
      value[key] = watched(part, `${path}.${key}`);
    }
    const get = (target, key) => {
      unread.delete(`${path}.${String(key)}`);
      return target[key];
    };
    return new Proxy(value, { get });
  };
  JSON.parse = (text) => watched(parse(text), "");
})();
"""
"""Notes which columns of the page's data no script read."""


def test_scripts_read_every_column_of_the_data(chromium: PageBrowser, tmp_path: Path) -> None:
    """Of a real recording, with an earlier one."""
    made = navitas.load(GOLDEN, call_steps=True)
    path = tmp_path / "page.html"
    with path.open("w", encoding="utf-8") as out:
        page_report.write(made, out, page=PageRequest(EarlierRecording("old", navitas.load(GOLDEN))))
    opened = chromium.open(path, init=WATCH_READS)
    assert opened.page.evaluate("unread.size") > 0, "those over time are read for a range"
    component = made.components[-1]
    for address in ("#from=10&to=20", f"#component={component}", "#test=none&text=x", "#"):
        opened.page.evaluate("(address) => { location.hash = address }", address)
    assert opened.page.evaluate("[...unread]") == []
    assert opened.console == []


def test_the_next_command_breaks_between_its_words(chromium: PageBrowser, pages: Callable[[str], Path], tmp_path: Path) -> None:
    command = "navitas report navitas-recordings/demo --with-source path/to/the/project --html energy.html --before before"
    parts = _command_parts(command)
    assert parts[3:] == ["--with-source path/to/the/project", "--html energy.html", "--before before"]
    shown = " ".join(f"<span>{part}</span>" for part in parts)
    text, count = re.subn("(<p class=.next.>.*?<code>).*?</code>", rf"\g<1>{shown}</code>", pages("recorded").read_text("utf-8"))
    assert count == 1
    path = tmp_path / "page.html"
    path.write_text(text, "utf-8")
    for width in (360, 1000):
        opened = chromium.open(path, width=width)
        heights = opened.page.eval_on_selector_all(".next span", "(all) => all.map((one) => one.getClientRects().length)")
        assert heights == [1] * len(parts)
        lines = opened.page.eval_on_selector_all(".next span", "(all) => all.map((one) => one.offsetHeight)")
        assert max(lines) < 1.5 * min(lines), "each part is on one line"
        assert opened.page.inner_text(".next code").split() == command.split()


@pytest.mark.parametrize("width", [360, 1000, pytest.param(1600, marks=EXTENDED)])
def test_no_figure_is_cut(sample: Open, width: int) -> None:
    """Columns that do not fit are left out, and a button shows them."""
    opened = sample(width=width)
    opened.page.evaluate(SETTLED)
    cut = (
        "[...document.querySelectorAll('.scroll, .rows')].filter((frame) => frame.scrollWidth > frame.clientWidth)"
        ".map((frame) => frame.querySelector('table').id)"
    )
    assert opened.page.evaluate(cut) == []
    heads = opened.page.locator("#methods thead th:visible").all_inner_texts()
    assert heads[:2] == ["Method", "Self"] and "±" in opened.column("methods", 1)[0]
    assert heads[-1] == "Difference" or width < 1000
    everything = opened.page.locator("#methods-view").get_by_role("button", name="All columns")
    if everything.is_visible():
        everything.click()
        opened.page.evaluate(SETTLED)
    assert opened.page.locator("#methods thead th:visible").count() == 9
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_screen_answers(sample: Open) -> None:
    """Which method, which thread, when, and how sure: at 1000 × 700, without a scroll."""
    opened = sample(width=1000, height=700)
    opened.page.evaluate(SETTLED)
    for selector in (
        "#methods tbody tr:nth-child(3) .pick",
        "#methods tbody tr:first-child small",
        "#timeline .readout",
        "#filters",
    ):
        box = opened.page.locator(selector).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 700, selector
    assert "±" in opened.column("methods", 1)[0]
    assert DATA["methods"]["label"][0] in opened.column("methods", 0)[0]
    highest_mw = max(map(sum, zip(*DATA["timeline"][0]["components"].values(), strict=True)))
    assert f"Highest: {highest_mw / 1e3:.2f} W at " in opened.text("#timeline .readout")
    assert opened.page.locator("#timeline svg").bounding_box()["y"] < 700


def test_hostile_names_are_text(chromium: PageBrowser, pages: Callable[[str], Path]) -> None:
    path = pages("hostile")
    opened = chromium.open(path, height=900)
    assert opened.console == [] and opened.requests == [path.as_uri()]
    assert opened.page.title() not in ("taken", "1")
    assert opened.page.locator("img, object, iframe, main b:has(*)").count() == 0
    text = opened.text("body")
    for name in HOSTILE[:3]:
        assert name in text.replace("\n", "")
    for button in ("#tests .pick", "#methods .pick"):
        opened.page.locator(button).first.click()
    opened.page.get_by_role("button", name="Callers and callees").click()
    assert opened.console == [] and opened.page.locator("img, object, iframe").count() == 0
    again = chromium.open(path, opened.address())
    assert again.console == [] and again.page.title() not in ("taken", "1")


def test_the_policy_blocks_requests_and_foreign_scripts(
    chromium: PageBrowser, pages: Callable[[str], Path], tmp_path: Path
) -> None:
    """The tests above rely on this: a request and a foreign script are blocked, and noticed."""
    wrong = tmp_path / "wrong.html"
    wrong.write_text(pages("recorded").read_text("utf-8").replace("</body>", "<script>document.title='taken'</script></body>"))
    opened = chromium.open(wrong)
    assert opened.page.title() != "taken"
    assert opened.page.evaluate("fetch('https://example.org/').then(() => 'loaded', () => 'refused')") == "refused"
    assert sum("Content Security Policy" in line for line in opened.console) >= 2


def test_the_switch_of_colors(sample: Open) -> None:
    opened = sample()
    paper = lambda: opened.page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    light = paper()
    opened.page.get_by_label("Colors").select_option("dark")
    assert paper() != light
    opened.page.reload()
    opened.page.wait_for_selector("html[data-page=ready]")
    assert paper() != light, "the browser keeps the choice"
    opened.page.get_by_label("Colors").select_option("auto")
    assert paper() == light
    opened.requests.pop()


def test_print(sample: Open) -> None:
    opened = sample()
    opened.page.emulate_media(media="print")
    for selector in ("#tools", "#filters .field", "#methods-view .heading-tools", "#timeline .tools"):
        assert not opened.page.locator(selector).first.is_visible(), selector
    for selector in ("#verdict-section, #where", "#timeline svg", "#flame canvas", "#tree tbody tr", "#evidence"):
        assert opened.page.locator(f":is({selector}):visible").count() >= 1, selector
    frame = opened.page.locator("#methods").evaluate(
        "(table) => { const f = table.closest('.scroll'); return f.scrollHeight - f.clientHeight }"
    )
    assert frame <= 2, "tables are printed whole"
    assert opened.page.pdf()[:4] == b"%PDF"


def test_without_scripts_tables_can_be_read(chromium: PageBrowser, pages: Callable[[str], Path]) -> None:
    opened = chromium.open(pages("recorded"), scripts=False)
    content = opened.page.content()
    assert "<code>" in content
    assert opened.page.locator("#methods tbody tr").count() > 3
    assert opened.page.locator("#methods tbody tr").first.is_visible()
    for selector in ("#filters", "#when", "#how"):
        assert not opened.page.locator(selector).is_visible()


@pytest.mark.parametrize("lack", ["timeline", "bins", "tests", "nodes"])
def test_data_that_a_recording_lacks(chromium: PageBrowser, tmp_path: Path, lack: str) -> None:
    data = page_sample()
    if lack == "timeline":
        data["timeline"] = []
    if lack in ("bins", "nodes"):
        data["bins"] = None
    if lack == "tests":
        data["tests"] = {column: [] for column in data["tests"]}
    if lack in ("nodes", "tests"):
        data["nodes"] = {column: {} if column == "by" else [] for column in data["nodes"]}
    opened = chromium.open(written_page(tmp_path / "page.html", data))
    assert opened.console == []
    shown = opened.text("main")
    if lack == "timeline":
        assert "This recording has no power over time." in shown
    elif lack == "bins":
        opened.page.evaluate("location.hash = '#from=1000&to=2000'")
        assert "the range filters tests only" in summary(opened)
        assert len(opened.column("tests", 0)) == 1
    else:
        assert "No calls have energy of this selection." in shown


@pytest.mark.extended
def test_a_large_tree(chromium: PageBrowser, tmp_path: Path) -> None:
    data = page_sample(100_000, 40, 3_000)
    opened = chromium.open(written_page(tmp_path / "large.html", data))
    assert is_close(summary(opened), data["figures"]["app_uj"])
    assert opened.page.locator("#methods tbody tr").count() == 20
    assert opened.page.locator("#tree tbody tr").count() < 500
    choose(opened, "Component", "wifi")
    assert is_close(summary(opened), energy_of(data, component="wifi"))
    assert opened.console == []


def test_the_sample_is_conserved() -> None:
    """The data of these tests: bins and components add up to the nodes."""
    nodes, bins = DATA["nodes"], DATA["bins"]
    sums = [0.0] * len(nodes["self_uj"])
    for node, uj in zip(bins["node"], bins["uj"], strict=True):
        sums[node] += uj
    assert sums == pytest.approx(nodes["self_uj"])
    assert set(DATA["components"]) == set(COMPONENTS)

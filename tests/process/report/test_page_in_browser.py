"""The report page in a real browser: every way to select, sort, search and read it. It loads nothing, for any names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.hostile_profile import HOSTILE, hostile_profile
from support.page_browser import Opened, PageBrowser, axe_source, page_browser, written_page
from support.page_sample import COMPONENTS, page_sample

Data = dict[str, Any]
Open = Callable[..., Opened]
FACTORS = {"J": 1e6, "mJ": 1e3, "µJ": 1.0, "nJ": 1e-3}
DATA = page_sample(baseline=True)
METHOD = 3
SMALL = page_sample(120, 3, 12, baseline=True)
BREAKS_IN_WORDS = """
(() => {
  const broken = [];
  const size = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].filter((box) => box.width > 0);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || !parent.checkVisibility() || parent.closest("script, style, select, svg")) continue;
    const space = parent.closest("td, th, p, li, h1, h2, h3, summary, div, label, button, section").clientWidth;
    for (const word of node.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const boxes = size(node, word.index, word.index + word[0].length);
      const lines = new Set(boxes.map((box) => Math.round(box.top)));
      const width = boxes.reduce((sum, box) => sum + box.width, 0);
      if (lines.size > 1 && width < space - 20) broken.push(word[0]);
    }
  }
  return broken;
})()
"""


@pytest.fixture(scope="module")
def chromium(browser: str) -> Iterator[PageBrowser]:
    """One browser for all tests. Each test opens a page of its own."""
    with page_browser(browser) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Pages by name, each written once: of a recording, with made-up data, or with hostile names."""
    folder = tmp_path_factory.mktemp("pages")
    makers: dict[str, Callable[[Path], Path]] = {
        "recorded": written_page,
        "sample": lambda path: written_page(path, DATA),
        "small": lambda path: written_page(path, SMALL),
        "hostile": lambda path: written_page(path, profile=hostile_profile()),
    }

    def page(name: str) -> Path:
        path = folder / f"{name}.html"
        return path if path.exists() else makers[name](path)

    return page


@pytest.fixture
def sample(chromium: PageBrowser, pages: Callable[[str], Path]) -> Iterator[Open]:
    """Opens the page with made-up data. At the end, checks that the console had no message and nothing was requested."""
    opened: list[Opened] = []

    def open_page(fragment: str = "", **options: Any) -> Opened:
        opened.append(chromium.open(pages("sample"), fragment, **options))
        return opened[-1]

    yield open_page
    for page in opened:
        assert page.console == []
        assert page.requests == [pages("sample").as_uri()]


def _joules(text: str) -> float:
    """The first energy of a text, in µJ."""
    figure = re.search(r"([-+\d.]+) ([mµn]?J)", text)
    assert figure, text
    return float(figure[1]) * FACTORS[figure[2]]


def _close(text: str, uj: float) -> bool:
    return abs(_joules(text) - uj) <= 0.006 * abs(uj) + 1e-3


def _expected_uj(data: Data, *, component: str = "", during: tuple[float, float] | None = None, **choice: str) -> float:
    """The energy of a selection, by a plain walk through all nodes: `test` and `thread` by name, `full` for calls below a method,
    `module`, and `word` of a name."""
    nodes, methods, names = data["nodes"], data["methods"], data["threads"]["name"]
    wifi = dict(zip(nodes["by"]["wifi"]["node"], nodes["by"]["wifi"]["uj"], strict=True))
    edges = data["bins"]["run"][0]["edges_ms"]
    energy = list(nodes["self_uj"])
    if during:
        energy = [0.0] * len(energy)
        for node, number, uj in zip(data["bins"]["node"], data["bins"]["bin"], data["bins"]["uj"], strict=True):
            low, high = edges[number : number + 2]
            energy[node] += uj * max(min(high, during[1]) - max(low, during[0]), 0) / (high - low)
    if component:
        energy = [uj if component == "cpu" else 0.0 for uj in energy]
        for node, uj in wifi.items():
            energy[node] += -uj if component == "cpu" else uj

    def chosen(node: int) -> bool:
        above = node
        while above >= 0:
            method = nodes["method"][above]
            texts = [data["tests"]["label"][nodes["test"][above]], names[nodes["thread"][above]]]
            texts += [methods[column][method] for column in ("label", "full", "source")] if method >= 0 else []
            full, module = (methods["full"][method], data["modules"][methods["module"][method]]) if method >= 0 else ("", "")
            has_full, has_module = choice.get("full", full) == full, choice.get("module", module) == module
            if has_full and has_module and ("word" not in choice or choice["word"] in " ".join(texts).lower()):
                return True
            above = nodes["parent"][above]
        return False

    total = 0.0
    for node, uj in enumerate(energy):
        thread = names[nodes["thread"][node]]
        is_thread = thread == choice["thread"] if "thread" in choice else data["threads"]["app"][nodes["thread"][node]]
        is_test = "test" not in choice or data["tests"]["label"][nodes["test"][node]] == choice["test"]
        if is_thread and is_test and chosen(node):
            total += uj
    return total


def _choose(opened: Opened, label: str, value: str) -> None:
    opened.page.get_by_role("combobox", name=label, exact=True).select_option(value)


def _summary(opened: Opened) -> str:
    return opened.text("#filters .summary")


EXTENDED = pytest.mark.extended


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


def test_the_first_screen_answers(sample: Open) -> None:
    """Which method, which thread, when, and how sure: at 1000 × 700, without a scroll."""
    opened = sample(width=1000, height=700)
    for selector in (
        "#methods tbody tr:first-child .pick",
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


@pytest.mark.parametrize(
    ("field", "value", "choice"),
    [
        ("Test", DATA["tests"]["label"][2], {"test": DATA["tests"]["label"][2]}),
        ("Thread", "main", {"thread": "main"}),
        ("Thread", "(base)", {"thread": "(base)"}),
        ("Module", "lib", {"module": "lib"}),
        ("Component", "wifi", {"component": "wifi"}),
        ("Component", "cpu", {"component": "cpu"}),
    ],
)
def test_a_list_of_the_bar_selects(sample: Open, field: str, value: str, choice: dict[str, str]) -> None:
    opened = sample()
    _choose(opened, field, value)
    expected_uj = _expected_uj(DATA, **choice)
    assert _close(_summary(opened), expected_uj)
    assert f"{field.lower()}=" in opened.address()
    assert _close(opened.text("#flame .details"), expected_uj)
    threads = opened.page.locator('#tree tr[aria-level="1"]').all_inner_texts()
    assert abs(sum(map(_joules, threads)) - expected_uj) < 0.01 * expected_uj
    opened.page.get_by_role("button", name="Clear selection").click()
    assert opened.address() in ("", "#")
    assert _close(_summary(opened), DATA["figures"]["app_uj"])


def test_search_selects_calls_by_words_of_test_thread_and_method(sample: Open) -> None:
    opened = sample()
    opened.page.get_by_role("searchbox", name="Search", exact=True).fill("HASH")
    assert _close(_summary(opened), _expected_uj(DATA, word="hash"))
    assert all("hash" in name.lower() for name in opened.column("methods", 0))
    opened.page.get_by_role("searchbox", name="Search", exact=True).fill("main nothing-like-this")
    assert _summary(opened).startswith("0 J")
    assert opened.text("#methods tbody") == "No method has energy of this selection."
    assert opened.text("#tree tbody") == "No calls have energy of this selection."


def test_a_method_and_a_test_are_selected_in_their_tables(sample: Open) -> None:
    opened = sample()
    opened.page.locator("#methods .pick").nth(METHOD).click()
    full = DATA["methods"]["full"][METHOD]
    expected_uj = _expected_uj(DATA, full=full)
    assert _close(_summary(opened), expected_uj)
    shown = dict(zip(opened.column("tests", 0), opened.column("tests", 1), strict=True))
    assert abs(sum(map(_joules, shown.values())) - expected_uj) < 0.01 * expected_uj
    assert len(opened.column("methods", 0)) == 20, "other methods stay available, the first of them in view"
    opened.page.locator("#tests .pick").first.click()
    name, label = shown and next(iter(shown)).split("\n")[0], DATA["tests"]["label"]
    row = DATA["tests"]["name"].index(name)
    assert _close(_summary(opened), _expected_uj(DATA, full=full, test=label[row]))
    opened.page.get_by_role("button", name=re.compile("Remove: Method")).click()
    assert _close(_summary(opened), _expected_uj(DATA, test=label[row]))


def test_intervals_are_shown_where_they_hold(sample: Open) -> None:
    opened = sample()
    assert all("±" in cell for cell in opened.column("methods", 1))
    _choose(opened, "Test", DATA["tests"]["label"][0])
    assert not all("±" in cell for cell in opened.column("methods", 1))
    assert "±" in opened.column("tests", 1)[0], "the choice of a test doesn't change the table of tests"


def test_a_drag_selects_a_range_and_a_click_removes_it(sample: Open) -> None:
    opened = sample(height=1200)
    box = opened.page.locator("#timeline .surface").bounding_box()
    middle = box["y"] + box["height"] / 2
    at = lambda share: box["x"] + share * box["width"]  # noqa: E731
    opened.page.mouse.move(at(0.25), middle)
    opened.page.mouse.down()
    opened.page.mouse.move(at(0.4), middle)
    opened.page.mouse.move(at(0.5), middle)
    opened.page.mouse.up()
    from_ms, to_ms = (float(re.search(rf"{key}=([\d.]+)", opened.address())[1]) for key in ("from", "to"))
    assert abs(from_ms - 1500) < 15 and abs(to_ms - 3000) < 15
    assert _close(_summary(opened), _expected_uj(DATA, during=(from_ms, to_ms)))
    _choose(opened, "Component", "wifi")
    expected_uj = _expected_uj(DATA, during=(from_ms, to_ms), component="wifi")
    assert _close(_summary(opened), expected_uj)
    opened.page.mouse.click(at(0.8), middle)
    assert "from=" not in opened.address() and "component=wifi" in opened.address()


def test_the_range_by_keyboard_and_by_fields(sample: Open) -> None:
    opened = sample()
    start = opened.page.get_by_role("slider", name="Start of the time range")
    start.focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight"):
        opened.page.keyboard.press(key)
    assert float(start.get_attribute("aria-valuenow")) == pytest.approx(12 * 60)
    assert start.get_attribute("aria-valuetext") == "720 ms"
    assert opened.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Start of the time range"
    opened.page.keyboard.press("Escape")
    assert "from=" not in opened.address()
    opened.page.get_by_label("From, s").fill("1")
    opened.page.get_by_label("To, s").fill("2.5")
    opened.page.keyboard.press("Tab")
    assert "from=1000" in opened.address() and "to=2500" in opened.address()
    assert _close(_summary(opened), _expected_uj(DATA, during=(1000, 2500)))
    opened.page.get_by_role("button", name="Zoom to range").click()
    ticks = [float(text) for text in opened.page.locator("#timeline .tick.x").all_text_contents()]
    assert min(ticks) >= 1 and max(ticks) <= 2.5


def test_power_over_time_has_axes_tests_and_the_selected_calls(sample: Open) -> None:
    opened = sample()
    assert opened.page.locator("#timeline .axis").all_text_contents() == ["Time, s", "Power, W"]
    assert opened.page.locator("#timeline .band").count() == len(DATA["tests"]["label"])
    assert opened.page.locator("#timeline .part").all_inner_texts()[0].startswith("cpu")
    opened.page.get_by_label("Stack by").select_option("threads")
    parts = opened.page.locator("#timeline .part").all_inner_texts()
    assert {part.split(" ")[0] for part in parts} == set(DATA["threads"]["name"])
    assert opened.page.locator("#timeline .mark").count() == 0
    opened.page.locator("#methods .pick").nth(METHOD).click()
    assert opened.page.locator("#timeline .mark").count() >= 1
    assert opened.page.locator("#timeline .chosen").count() == 1
    opened.page.locator("#timeline .part", has_text="main").click()
    assert "thread=main" in opened.address()


def test_headings_sort(sample: Open) -> None:
    opened = sample()
    heads = opened.page.locator("#methods thead button")
    energies = [_joules(cell) for cell in opened.column("methods", 1)]
    assert energies == sorted(energies, reverse=True)
    assert opened.page.locator("#methods th").nth(1).get_attribute("aria-sort") == "descending"
    heads.nth(1).click()
    energies = [_joules(cell) for cell in opened.column("methods", 1)]
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
    rows = opened.page.evaluate("[...document.querySelectorAll('#tests tbody tr')].map((row) => row.innerText)")
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
    assert lines[0].startswith("| Method | Self | Share | Mean power | Inclusive | Calls | Per call |")
    assert lines[1].startswith("| --- | ---: | ---: |")
    assert DATA["methods"]["label"][METHOD].replace("_", "\\_") in lines[2]
    opened.page.locator("#tree").get_by_role("button", name="Copy as Markdown").click()
    assert opened.page.evaluate("copied").startswith("| Call | Inclusive | Share |")
    opened.page.locator("#threads-view").get_by_role("button", name="Copy as Markdown").click()
    assert opened.page.evaluate("copied").splitlines()[1].startswith("| --- | ---: |")


def test_the_address_opens_the_same_selection(sample: Open) -> None:
    label = DATA["tests"]["label"][2]
    opened = sample(f"#test={label}&component=wifi")
    assert _close(_summary(opened), _expected_uj(DATA, test=label, component="wifi"))
    opened.page.locator("#methods .pick").first.click()
    assert "method=" in opened.address()
    opened.page.go_back()
    assert "method=" not in opened.address()
    assert _close(_summary(opened), _expected_uj(DATA, test=label, component="wifi"))
    opened.page.evaluate("location.hash = '#thread=no%20such%20thread'")
    assert "no thread named “no such thread”" in _summary(opened)


def test_an_address_asks_for_times_within_the_run(sample: Open) -> None:
    opened = sample("#run=0.5&from=1000&to=1e15")
    opened.page.get_by_role("button", name="Zoom to range").click()
    assert _close(_summary(opened), _expected_uj(DATA, during=(1000, 6000)))
    assert "Highest: " in opened.text("#when-summary")


def test_the_run_is_that_of_the_test(chromium: PageBrowser, tmp_path: Path) -> None:
    data = page_sample()
    data["timeline"].append({**data["timeline"][0], "run": 1})
    data["bins"]["run"] *= 2
    data["tests"]["run"][2] = 1
    second = [node for node, test in enumerate(data["nodes"]["test"]) if test == 2]
    data["bins"]["run_of"] = [int(node in second) for node in data["bins"]["node"]]
    test = data["tests"]["label"][2]
    opened = chromium.open(written_page(tmp_path / "page.html", data), "#run=0&from=0&to=1000")
    _choose(opened, "Test", test)
    assert "run=" not in opened.address() and "from=" not in opened.address()
    assert opened.page.get_by_role("combobox", name="Run", exact=True).input_value() == "1"
    _choose(opened, "Run", "0")
    assert "test=" not in opened.address() and "run=0" in opened.address()
    opened = chromium.open(tmp_path / "page.html", f"#test={test}&from=0&to=6000")
    assert _close(_summary(opened), _expected_uj(data, test=test)), "of the test's run"


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


def test_the_flame_graph_by_keyboard(sample: Open) -> None:
    opened = sample()
    graph = opened.page.get_by_role("application", name=re.compile("Flame graph of all calls"))
    graph.focus()
    details = lambda: opened.text("#flame .details")  # noqa: E731
    assert details().startswith("all threads")
    largest = max(DATA["threads"]["name"][:3], key=lambda name: _expected_uj(DATA, thread=name))
    opened.page.keyboard.press("ArrowDown")
    assert details().startswith(largest) and _close(details(), _expected_uj(DATA, thread=largest))
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowDown")
    deeper = details()
    assert "self" in deeper and "per call" in deeper
    opened.page.keyboard.press("Enter")
    assert "Show all" in details()
    axis = opened.page.locator("#flame .stage:not([hidden]) .flame-axis").get_attribute("aria-label")
    assert _joules(axis.split(" to ")[1]) == pytest.approx(_joules(deeper), rel=0.01)
    opened.page.keyboard.press("Escape")
    assert "Show all" not in details()
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowRight")
    second = details()
    assert not second.startswith(largest)
    opened.page.keyboard.press("ArrowLeft")
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press(" ")
    assert re.search("method=|thread=", opened.address()) or "(untraced)" in details()


def test_the_flame_graph_by_pointer(sample: Open) -> None:
    opened = sample(height=1400)
    canvas = opened.page.locator("#flame .stage:not([hidden]) canvas")
    box = canvas.bounding_box()
    opened.page.mouse.move(box["x"] + 5, box["y"] + 30)
    largest = opened.text("#flame .details")
    assert "inclusive" in largest
    opened.page.mouse.click(box["x"] + 5, box["y"] + 50)
    assert "Show all" in opened.text("#flame .details")
    opened.page.get_by_role("button", name="Show all").click()
    assert opened.text("#flame .details").startswith("all threads")


def test_callers_and_callees_of_the_selected_method(sample: Open) -> None:
    opened = sample()
    opened.page.get_by_role("button", name="Callers and callees").click()
    assert "Select a method" in opened.text("#flame")
    opened.page.locator("#methods .pick").nth(METHOD).click()
    expected_uj = _expected_uj(DATA, full=DATA["methods"]["full"][METHOD])
    assert _close(opened.text("#flame .details"), expected_uj)
    graph = opened.page.get_by_role("application", name=re.compile("Callers of the selected method"))
    graph.focus()
    assert _close(opened.text("#flame .details"), expected_uj)
    opened.page.keyboard.press("ArrowUp")
    assert _joules(opened.text("#flame .details")) <= expected_uj * 1.001
    assert DATA["methods"]["full"][METHOD] not in opened.text("#flame .details code")


def test_differences_against_a_baseline(sample: Open) -> None:
    opened = sample()
    opened.page.get_by_label("Color by").select_option("difference")
    assert "more than the baseline" in opened.text("#flame .key")
    nodes, app = DATA["nodes"], DATA["threads"]["app"]
    change = sum(
        uj - base
        for uj, base, thread in zip(nodes["self_uj"], DATA["baseline"]["nodes"]["self_uj"], nodes["thread"], strict=True)
        if app[thread]
    )
    shown = re.search(r"([-+][\d.]+ [mµ]?J) against main", opened.text("#flame .details"))
    assert shown and _close(shown[1], change)
    tests = dict(zip(opened.column("tests", 0), opened.column("tests", 5), strict=True))
    tests = {name.split("\n")[0]: cell for name, cell in tests.items()}
    assert tests[DATA["tests"]["name"][0]] == "–", "it is not in the baseline"
    assert _close(tests[DATA["tests"]["name"][2]], 0.1 * DATA["tests"]["app_uj"][2])
    assert "Difference" in opened.text("#tree thead") and "Difference" in opened.text("#methods thead")
    _choose(opened, "Component", "wifi")
    assert "no energies of a component" in opened.text("#flame .key")


def test_calls_that_vanished_stay_visible(chromium: PageBrowser, tmp_path: Path) -> None:
    data = page_sample(baseline=True)
    main = [thread == 0 for thread in data["nodes"]["thread"]]
    data["nodes"]["self_uj"] = [0 if gone else uj for gone, uj in zip(main, data["nodes"]["self_uj"], strict=True)]
    opened = chromium.open(written_page(tmp_path / "page.html", data))
    assert data["threads"]["name"][0] in opened.page.locator("#tree td.call b").all_text_contents()


def test_the_call_tree_by_keyboard(sample: Open) -> None:
    opened = sample()
    rows = opened.page.locator("#tree tbody tr")
    opened.page.locator('#tree tr[tabindex="0"]').focus()
    active = lambda name: opened.page.evaluate(f"document.activeElement.getAttribute('{name}')")  # noqa: E731
    assert (active("aria-level"), active("aria-expanded")) == ("1", "true")
    before = rows.count()
    opened.page.keyboard.press("ArrowLeft")
    assert active("aria-expanded") == "false" and rows.count() < before
    opened.page.keyboard.press("ArrowRight")
    assert active("aria-expanded") == "true" and rows.count() == before
    opened.page.keyboard.press("ArrowRight")
    assert active("aria-level") == "2"
    opened.page.keyboard.press("ArrowLeft")
    opened.page.keyboard.press("ArrowLeft")
    assert active("aria-level") == "1"
    opened.page.keyboard.press("End")
    opened.page.keyboard.press("Home")
    opened.page.keyboard.press("Enter")
    assert "thread=" in opened.address()


def test_a_call_is_its_self_energy_and_that_of_its_callees(sample: Open) -> None:
    opened = sample()
    closed = '#tree tr[aria-expanded="false"]'
    for _ in range(6):
        if opened.page.locator(closed).count():
            opened.page.locator(f"{closed} td.call .sign").first.click()
    rows = opened.page.locator("#tree tbody tr:not([data-more])").evaluate_all(
        "(rows) => rows.map((row) => [Number(row.getAttribute('aria-level')), row.getAttribute('aria-expanded'),"
        " row.cells[1].textContent, row.cells[3].textContent])"
    )
    checked = 0
    for number, (level, is_open, inclusive, own) in enumerate(rows):
        if is_open != "true":
            continue
        below = 0.0
        for other, _, energy, _ in rows[number + 1 :]:
            if other <= level:
                break
            below += _joules(energy) if other == level + 1 else 0.0
        assert below + _joules(own) == pytest.approx(_joules(inclusive), rel=0.02)
        checked += 1
    assert checked >= 5


def test_threads_of_one_name_keep_their_energy(chromium: PageBrowser, tmp_path: Path) -> None:
    data = page_sample()
    data["threads"]["name"][1] = data["threads"]["name"][3]
    opened = chromium.open(written_page(tmp_path / "page.html", data))
    _choose(opened, "Component", "wifi")
    assert _close(_summary(opened), _expected_uj(data, component="wifi")), "only the first of them is the app's"


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
        assert "the range filters tests only" in _summary(opened)
        assert len(opened.column("tests", 0)) == 1
    else:
        assert "No calls have energy of this selection." in shown


@pytest.mark.extended
def test_a_large_tree(chromium: PageBrowser, tmp_path: Path) -> None:
    data = page_sample(100_000, 40, 3_000)
    opened = chromium.open(written_page(tmp_path / "large.html", data))
    assert _close(_summary(opened), data["figures"]["app_uj"])
    assert opened.page.locator("#methods tbody tr").count() == 20
    assert opened.page.locator("#tree tbody tr").count() < 500
    _choose(opened, "Component", "wifi")
    assert _close(_summary(opened), _expected_uj(data, component="wifi"))
    assert opened.console == []


def test_the_sample_is_conserved() -> None:
    """The data of these tests: bins and components add up to the nodes."""
    nodes, bins = DATA["nodes"], DATA["bins"]
    sums = [0.0] * len(nodes["self_uj"])
    for node, uj in zip(bins["node"], bins["uj"], strict=True):
        sums[node] += uj
    assert sums == pytest.approx(nodes["self_uj"])
    assert set(DATA["components"]) == set(COMPONENTS)

"""The flame graph and the call tree of the report page, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.page_browser import PageBrowser, written_page
from support.page_sample import page_sample
from support.page_views import DATA, METHOD, Open, choose, energy_of, is_close, joules


def test_the_flame_graph_by_keyboard(sample: Open) -> None:
    opened = sample()
    graph = opened.page.get_by_role("application", name=re.compile("Flame graph of all calls"))
    graph.focus()
    details = lambda: opened.text("#flame .details")  # noqa: E731
    assert details().startswith("all threads")
    largest = max(DATA["threads"]["name"][:3], key=lambda name: energy_of(DATA, thread=name))
    opened.page.keyboard.press("ArrowDown")
    assert details().startswith(largest) and is_close(details(), energy_of(DATA, thread=largest))
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowDown")
    deeper = details()
    assert "self" in deeper and "per call" in deeper
    opened.page.keyboard.press("Enter")
    assert "Show all" in details()
    axis = opened.page.locator("#flame .stage:not([hidden]) .flame-axis").get_attribute("aria-label")
    assert joules(axis.split(" to ")[1]) == pytest.approx(joules(deeper), rel=0.01)
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
    expected_uj = energy_of(DATA, full=DATA["methods"]["full"][METHOD])
    assert is_close(opened.text("#flame .details"), expected_uj)
    graph = opened.page.get_by_role("application", name=re.compile("Callers of the selected method"))
    graph.focus()
    assert is_close(opened.text("#flame .details"), expected_uj)
    opened.page.keyboard.press("ArrowUp")
    assert joules(opened.text("#flame .details")) <= expected_uj * 1.001
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
    assert shown and is_close(shown[1], change)
    tests = dict(zip(opened.column("tests", 0), opened.column("tests", 6), strict=True))
    tests = {name.split("\n")[0]: cell for name, cell in tests.items()}
    assert tests[DATA["tests"]["name"][0]] == "–", "it is not in the baseline"
    assert is_close(tests[DATA["tests"]["name"][2]], 0.1 * DATA["tests"]["app_uj"][2])
    assert "Difference" in opened.text("#tree thead") and "Difference" in opened.text("#methods thead")
    choose(opened, "Component", "wifi")
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
            below += joules(energy) if other == level + 1 else 0.0
        assert below + joules(own) == pytest.approx(joules(inclusive), rel=0.02)
        checked += 1
    assert checked >= 5

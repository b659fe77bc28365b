"""The selection of the report page, in a real browser: the bar, the address, and energies of all that a choice has."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.page_browser import PageBrowser, written_page
from support.page_sample import page_sample
from support.page_views import DATA, Open, choose, energy_of, is_close, joules, summary


@pytest.mark.parametrize(
    ("field", "value", "choice"),
    [
        ("Test", DATA["tests"]["label"][2], {"test": DATA["tests"]["label"][2]}),
        ("Thread", "main", {"thread": "main"}),
        ("Thread", "(base)", {"thread": "(base)"}),
        ("Thread", "other threads", {"thread": "pool-1-thread-1"}),
        ("Module", "lib", {"module": "lib"}),
        ("Component", "wifi", {"component": "wifi"}),
        ("Component", "cpu", {"component": "cpu"}),
    ],
)
def test_a_list_of_the_bar_selects(sample: Open, field: str, value: str, choice: dict[str, str]) -> None:
    opened = sample()
    choose(opened, field, value)
    expected_uj = energy_of(DATA, **choice)
    assert is_close(summary(opened), expected_uj)
    assert f"{field.lower()}=" in opened.address()
    assert is_close(opened.text("#flame .details"), expected_uj)
    threads = opened.page.locator('#tree tr[aria-level="1"]').all_inner_texts()
    assert abs(sum(map(joules, threads)) - expected_uj) < 0.01 * expected_uj
    opened.page.get_by_role("button", name="Clear selection").click()
    assert opened.address() in ("", "#")
    assert is_close(summary(opened), DATA["figures"]["app_uj"])


def test_search_selects_calls_by_words_of_test_thread_and_method(sample: Open) -> None:
    opened = sample()
    opened.page.get_by_role("searchbox", name="Search", exact=True).fill("HASH")
    assert is_close(summary(opened), energy_of(DATA, word="hash"))
    assert all("hash" in name.lower() for name in opened.column("methods", 0))
    opened.page.get_by_role("searchbox", name="Search", exact=True).fill("main nothing-like-this")
    assert summary(opened).startswith("0 J")
    assert opened.text("#methods tbody") == "No method has energy of this selection."
    assert opened.text("#tree tbody") == "No calls have energy of this selection."


def test_the_address_opens_the_same_selection(sample: Open) -> None:
    label = DATA["tests"]["label"][2]
    opened = sample(f"#test={label}&component=wifi")
    assert is_close(summary(opened), energy_of(DATA, test=label, component="wifi"))
    opened.page.locator("#methods .pick").first.click()
    assert "method=" in opened.address()
    opened.page.go_back()
    assert "method=" not in opened.address()
    assert is_close(summary(opened), energy_of(DATA, test=label, component="wifi"))
    opened.page.evaluate("location.hash = '#thread=no%20such%20thread'")
    assert "no thread named “no such thread”" in summary(opened)


def test_an_address_asks_for_times_within_the_run(sample: Open) -> None:
    opened = sample("#run=0.5&from=1000&to=1e15")
    opened.page.get_by_role("button", name="Zoom to range").click()
    assert is_close(summary(opened), energy_of(DATA, during=(1000, 6000)))
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
    choose(opened, "Test", test)
    assert "run=" not in opened.address() and "from=" not in opened.address()
    assert opened.page.get_by_role("combobox", name="Run", exact=True).input_value() == "1"
    choose(opened, "Run", "0")
    assert "test=" not in opened.address() and "run=0" in opened.address()
    opened = chromium.open(tmp_path / "page.html", f"#test={test}&from=0&to=6000")
    assert is_close(summary(opened), energy_of(data, test=test)), "of the test's run"


def test_threads_of_one_name_keep_their_energy(chromium: PageBrowser, tmp_path: Path) -> None:
    data = page_sample()
    data["threads"]["name"][1] = data["threads"]["name"][3]
    opened = chromium.open(written_page(tmp_path / "page.html", data))
    choose(opened, "Component", "wifi")
    assert is_close(summary(opened), energy_of(data, component="wifi")), "only the first of them is the app's"

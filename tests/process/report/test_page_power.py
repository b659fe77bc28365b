"""Power over time of the report page, in a real browser."""

from __future__ import annotations

import re

import pytest
from support.page_views import DATA, METHOD, Open, choose, energy_of, is_close, summary


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
    assert is_close(summary(opened), energy_of(DATA, during=(from_ms, to_ms)))
    choose(opened, "Component", "wifi")
    expected_uj = energy_of(DATA, during=(from_ms, to_ms), component="wifi")
    assert is_close(summary(opened), expected_uj)
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
    assert is_close(summary(opened), energy_of(DATA, during=(1000, 2500)))
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

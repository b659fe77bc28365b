"""The example project `examples/feed` with `--record hooks`: the energy of Wi-Fi by method, in figures and in a real browser.

`make accuracy` compares the energy of its two ways to load (tests/accuracy/live_feed.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.feed_example import ARTICLE_BYTES, ARTICLES, record_feed
from support.page_browser import page_browser, written_page

import navitas
from navitas.capture.device.adb import AdbDevice

pytestmark = pytest.mark.extended


@pytest.fixture(scope="module")
def recorded(gradle: str, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> navitas.Profile:
    return record_feed(gradle, phone, tmp_path_factory.mktemp("feed"))


def test_hooks_have_the_bytes_and_each_way_to_load_uses_wifi(recorded: navitas.Profile) -> None:
    moved = {(one.method.name, one.component): one for one in recorded.method_bytes()}
    if ("loadAhead", "wifi") not in moved:
        pytest.skip("this host does not count the virtual phone's network traffic")
    # What the phone counts after the app's last reading is missing, which depends on the host: the profile names more than 2 %.
    reasons = [reason for one in recorded.evidence if one.component == "wifi" for reason in one.reasons]
    missing = max([0.02, *(reason.share_max or 1.0 for reason in reasons if reason.code == "bytes_not_counted")])
    least = (1 - missing) * ARTICLES * ARTICLE_BYTES - 1
    for name in ("loadOnScroll", "loadAhead"):
        received = moved[name, "wifi"].inclusive_received_bytes
        assert least <= received <= 1.2 * ARTICLES * ARTICLE_BYTES, "payload, headers and packets"
        assert moved[name, "storage"].inclusive_sent_bytes == pytest.approx(ARTICLES * ARTICLE_BYTES)
    wifi = recorded.components.index("wifi")
    used_j = {total.method.name: total.inclusive_components[wifi] for total in recorded.method_totals()}
    assert used_j["loadOnScroll"] > 0 and used_j["loadAhead"] > 0


def test_the_page_shows_components_and_their_methods(recorded: navitas.Profile, browser: str, tmp_path: Path) -> None:
    path = written_page(tmp_path / "report.html", profile=recorded)
    with page_browser(browser) as started:
        opened = started.open(path)
        shown = dict(zip(opened.column("components", 0), opened.column("components", 1), strict=True))
        silent = recorded.top().silent
        assert set(shown) == set(recorded.components) - set(silent)
        assert {one.component: one.level for one in recorded.evidence if one.component in shown} == shown
        assert ("Rails measured nothing: " + ", ".join(silent) in opened.page.text_content("body")) == bool(silent)
        heads = opened.page.locator("#methods-by-component thead th").all_inner_texts()
        opened.page.locator("#methods-by-component thead button").nth(heads.index("storage")).click()
        rows = opened.page.locator("#methods-by-component tbody tr")
        numbers = f"(rows) => rows.map((row) => Number(row.cells[{heads.index('storage')}].dataset.number ?? 0))"
        joules = rows.evaluate_all(numbers)
        assert joules == sorted(joules, reverse=True) and joules[0] > 0
        assert {"org.example.feed.Feed.load", "java.io.FileOutputStream.write"} <= set(opened.column("methods-by-component", 0))
        assert opened.console == [] and opened.requests == [path.as_uri()]

"""Loading articles on scroll uses more energy of Wi-Fi than loading them ahead (`make accuracy`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.feed_example import record_feed

from navitas.capture.device.adb import AdbDevice


def test_the_radio_stays_awake_after_each_article(gradle: str, phone: AdbDevice, tmp_path: Path) -> None:
    recorded = record_feed(gradle, phone, tmp_path)
    if "wifi" not in recorded.components:
        pytest.skip("this host does not count the virtual phone's network traffic")
    wifi = recorded.components.index("wifi")
    used_j = {total.method.name: total.inclusive_components[wifi] for total in recorded.method_totals()}
    assert used_j["loadOnScroll"] > 1.5 * used_j["loadAhead"]

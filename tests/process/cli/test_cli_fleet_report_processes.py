"""The tests of tests/unit/cli/test_cli_fleet_report.py that start processes."""

from __future__ import annotations

from pathlib import Path

from support.browser import show
from test_cli_fleet_report import _Elements, page, store


def test_a_browser_shows_it_without_an_error(browser: str, page: Path, tmp_path: Path) -> None:
    shown = show(browser, page, tmp_path / "profile")
    assert shown.console == []
    assert "<title>Fleet store (simulated)</title>" in shown.dom
    elements = _Elements(shown.dom).found
    assert {tag for tag, _ in elements}.isdisjoint({"script", "img", "iframe"})
    assert sum(tag == "svg" for tag, _ in elements) > 10
    assert [tag for tag, _ in elements] == [tag for tag, _ in _Elements(page.read_text("utf-8")).found], (
        "the browser repairs nothing"
    )
    # What would be wrong is seen: a script is refused by the page's own policy.
    wrong = tmp_path / "wrong.html"
    wrong.write_text(page.read_text("utf-8").replace("</body>", "<script>document.title='taken'</script></body>"))
    refused = show(browser, wrong, tmp_path / "profile")
    assert "Content Security Policy" in " ".join(refused.console)
    assert "<title>Fleet store (simulated)</title>" in refused.dom

"""The example project `examples/feed` with `--record hooks`: the energy of Wi-Fi by method, in figures and in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from support.browser_session import browser_session
from support.no_progress import NoProgress

import navitas
from navitas.build.gradle import build_bundles
from navitas.collect.options import ProfileOptions
from navitas.collect.session import profile
from navitas.device.adb import AdbDevice
from navitas.report import html_report
from navitas.report.html_viewer import viewer_scripts

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
EXAMPLE = Path(__file__).parents[2] / "examples" / "feed"
ARTICLE_BYTES, ARTICLES = 500_000, 6


class Silent(SimpleHTTPRequestHandler):
    """Serves files and prints nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """Serve the files of a folder on a free port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder)))
    thread = Thread(target=server.serve_forever, name="articles")
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def recorded(gradle: str, phone: AdbDevice, tmp_path_factory: pytest.TempPathFactory) -> navitas.Profile:
    """The example's profile, as in the tutorial."""
    folder = tmp_path_factory.mktemp("feed")
    project, articles = folder / "feed", folder / "www"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("build", ".gradle"))
    articles.mkdir()
    (articles / "article").write_bytes(bytes(ARTICLE_BYTES))
    with serving(articles) as port:
        test = project / "src/test/java/org/example/feed/FeedTest.java"
        test.write_text(test.read_text().replace(":8123/", f":{port}/"))
        bundles = build_bundles(project, gradle=gradle, hooks=True)
        outcome = profile(phone, bundles, ProfileOptions(record="hooks"), folder / "recording", NoProgress())
    assert not outcome.failures
    return navitas.load(outcome.recording)


def test_hooks_have_the_bytes_and_loading_on_scroll_uses_more_wifi(recorded: navitas.Profile) -> None:
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
    assert used_j["loadOnScroll"] > 1.5 * used_j["loadAhead"], "the radio stays awake after each article"


def test_the_page_shows_components_and_their_methods(recorded: navitas.Profile, browser: str, tmp_path: Path) -> None:
    if not viewer_scripts():
        pytest.skip("the flame graph viewer is missing: make viewer")
    page = tmp_path / "report.html"
    with page.open("w", encoding="utf-8") as out:
        html_report.write(recorded, out)
    with browser_session(browser, tmp_path / "profile") as window:
        window.open(page, width=1000)
        cells = "[row.cells[0].innerText, row.cells[1].innerText]"
        shown = dict(window.run(f"Array.from(document.querySelectorAll('#components tbody tr'), (row) => {cells})"))
        silent = recorded.top().silent
        assert set(shown) == set(recorded.components) - set(silent)
        assert {one.component: one.level for one in recorded.evidence if one.component in shown} == shown
        assert ("Rails measured nothing: " + ", ".join(silent) in window.run("document.body.innerText")) == bool(silent)
        heads = window.run("Array.from(document.querySelectorAll('#methods-by-component th'), (cell) => cell.innerText)")
        column = heads.index("storage")
        button = f"document.querySelector('#methods-by-component thead').rows[0].cells[{column}].querySelector('button')"
        window.run(f"{button}.click()")
        rows = window.run(
            "Array.from(document.querySelectorAll('#methods-by-component tbody tr'),"
            f" (row) => [row.cells[0].innerText, Number(row.cells[{column}].dataset.number)])"
        )
        joules = [value for _, value in rows]
        assert joules == sorted(joules, reverse=True) and joules[0] > 0
        assert {"org.example.feed.Feed.load", "java.io.FileOutputStream.write"} <= {name for name, _ in rows}
        assert window.console == [] and window.requests == [page.as_uri()]

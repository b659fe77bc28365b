"""The example project `examples/feed`, recorded as in the tutorial."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import navitas
from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.session import profile
from navitas.capture.device.adb import AdbDevice
from support.no_progress import NoProgress

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


def record_feed(gradle: str, phone: AdbDevice, folder: Path) -> navitas.Profile:
    """Return the example's profile."""
    project, articles = folder / "feed", folder / "www"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("build", ".gradle"))
    articles.mkdir()
    (articles / "article").write_bytes(bytes(ARTICLE_BYTES))
    with serving(articles) as port:
        test = project / "src/test/java/org/example/feed/FeedTest.java"
        test.write_text(test.read_text().replace(":8123/", f":{port}/"))
        bundles = build_bundles(project, BuildOptions(gradle=gradle, hooks=True))
        outcome = profile(phone, bundles, ProfileOptions(record="hooks"), folder / "recording", NoProgress())
    assert not outcome.failures
    return navitas.load(outcome.recording)

"""The report page with a call tree of 100,000 nodes, compared with speedscope, which opens the same tree in the same browser."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from common import Figures, arguments, compared_with
from playwright.sync_api import sync_playwright
from support.browser import find_browser
from support.page_browser import written_page
from support.page_sample import page_sample
from support.speedscope_page import VERSION, WEBGL, speedscope_page

# The time from the start of the navigation until two frames after the page is drawn.
_OPENED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
_SELECTIONS = ("#thread=main", "#text=poll", "#component=wifi", "#test=SyncTest.loads1", "#from=1000&to=2500", "#module=lib", "#")


def main(argv: list[str]) -> int:
    """Print the figures. With `--check`, return 1 if one exceeds its limit."""
    options = arguments(__doc__ or "", argv)
    program = find_browser()
    if program is None:
        print("the page: no Chromium; run make browser")
        return 0
    data = page_sample(10_000 if options.quick else 100_000, 40, 3_000)
    nodes = len(data["nodes"]["parent"])
    figures = Figures(f"the report page: a call tree of {nodes:,} nodes")
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        ours, peer = written_page(folder / "page.html", data), speedscope_page(folder, json.dumps(_speedscope_file(data)))
        browser = driver.chromium.launch(executable_path=program, args=[*WEBGL, *root])
        rounds = 2 if options.quick else 5
        paths = {"page": ours, **({"peer": peer} if peer else {})}
        opened = _medians(rounds, {kind: partial(_open, browser, path) for kind, path in paths.items()})
        if peer:
            note = compared_with(opened["page"], opened["peer"], f"speedscope {VERSION}")
            figures.add("open", opened["page"], "s", at_most=opened["peer"] / 2, note=note)
        else:
            figures.add("open", opened["page"], "s", note="speedscope is not available: no npm, or no registry")
        for fragment, took_ms in _redraws(browser, ours, rounds).items():
            figures.add(f"redraw {fragment}", took_ms, "ms", at_most=100, note="CPU time, with layout and paint")
        browser.close()
    return figures.close(options.check)


def _medians(rounds: int, actions: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """The median time of each action. They take turns, so that a busy machine slows all of them."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            times[name].append(action())
    return {name: sorted(values)[len(values) // 2] for name, values in times.items()}


def _redraws(browser: Any, path: Path, rounds: int) -> dict[str, float]:
    """The median CPU time of the page's thread for each change of the selection."""
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-page=ready]")
    protocol = page.context.new_cdp_session(page)
    protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

    def change(fragment: str) -> float:
        def cpu_ms() -> float:
            metrics = protocol.send("Performance.getMetrics")["metrics"]
            return 1e3 * float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))

        before_ms = cpu_ms()
        page.evaluate("(fragment) => { location.hash = fragment }", fragment)
        page.evaluate(_OPENED)
        return cpu_ms() - before_ms

    return _medians(rounds, {fragment: partial(change, fragment) for fragment in _SELECTIONS})


def _open(browser: Any, path: Path) -> float:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(120_000)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-page=ready]")
    opened_s: float = page.evaluate(_OPENED) / 1e3
    page.close()
    return opened_s


def _speedscope_file(data: dict[str, Any]) -> dict[str, Any]:
    """The same tree as events of one profile, in µJ."""
    nodes = data["nodes"]
    names = [*data["methods"]["full"], "(untraced)"]
    below: dict[int, list[int]] = {}
    for node, parent in enumerate(nodes["parent"]):
        below.setdefault(parent, []).append(node)
    events: list[dict[str, Any]] = []
    at = 0.0
    for node, is_open in _walk(below):
        if is_open:
            events.append({"type": "O", "frame": nodes["method"][node], "at": at})
            at += nodes["self_uj"][node]
        else:
            events.append({"type": "C", "frame": nodes["method"][node], "at": at})
    for event in events:
        event["frame"] %= len(names)
    profile = {"type": "evented", "name": "tree", "unit": "none", "startValue": 0, "endValue": at, "events": events}
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": [profile],
    }


def _walk(below: dict[int, list[int]]) -> Iterator[tuple[int, bool]]:
    """Each node when it opens (True) and when it closes (False), from the top."""
    stack = [(node, True) for node in reversed(below[-1])]
    while stack:
        node, is_open = stack.pop()
        yield node, is_open
        if is_open:
            stack.append((node, False))
            stack.extend((child, True) for child in reversed(below.get(node, [])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

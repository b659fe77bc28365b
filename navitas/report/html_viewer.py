"""The flame graph of the HTML report: a release of speedscope in a sandboxed frame, and its data."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from navitas.analyze.flame_nodes import FlameNodes
from navitas.analyze.profile import Profile
from navitas.html_page.elements import embedded_json, text
from navitas.report.speedscope import graph_chunks
from navitas.report.units import joules

_SANDBOX = "allow-scripts allow-downloads"
_MISSING = (
    "This installation of Navitas has no flame graph viewer: run <code>make viewer</code> in its checkout and write the report"
    " again, or open the file of <code>navitas report RECORDING --speedscope FILE</code> in speedscope."
)


def viewer_scripts() -> tuple[str, ...]:
    """Return the scripts of the viewer's frame, in order. Empty if the viewer is not installed."""
    viewer = files("navitas.report") / "viewer"
    if not (viewer / "speedscope.js").is_file():
        return ()
    code = (viewer / "speedscope.js").read_text("utf-8").partition("\n//# sourceMappingURL=")[0]
    return _resource("html_viewer_before.js"), code, _resource("html_viewer_after.js")


def flame_graph(profile: Profile, flames: FlameNodes) -> Iterator[str]:
    """Yield the section of the flame graph in chunks of text."""
    yield '<section aria-labelledby="flame-title"><h2 id="flame-title">Flame graph</h2>'
    scripts = viewer_scripts()
    if not scripts:
        yield f'<p id="flame-status">{_MISSING}</p></section>\n'
        return
    yield f"<p>{_about(flames)}</p>"
    yield '<p id="flame-status" role="status">The flame graph needs JavaScript.</p>'
    yield f'<iframe id="flame" title="Flame graph (speedscope)" sandbox="{_SANDBOX}"></iframe></section>\n'
    # The template stores the frame's document. The page's script loads it into the frame.
    yield f'<template id="viewer" data-document="{escape(_frame(scripts))}"></template>\n'
    yield from embedded_json(graph_chunks(profile, flames), "flame-data")


def _about(flames: FlameNodes) -> str:
    small = (
        f" Tests, threads and calls below {text(joules(flames.min_energy_j))} are summed up as <i>smaller</i>:"
        f" {flames.omitted:,} nodes of the call trees."
        if flames.omitted or flames.smaller_tests
        else ""
    )
    return (
        "Width is energy in µJ, not time: tests, below them threads, below them calls. Double-click a frame to enlarge it;"
        f" <i>Left Heavy</i> merges equal calls, <i>Sandwich</i> lists methods with their callers.{small}"
    )


def _frame(scripts: tuple[str, ...]) -> str:
    style = (files("navitas.report") / "viewer" / "speedscope.css").read_text("utf-8")
    # The report omits the viewer's font. The style names fallback fonts.
    style = style.partition("@font-face")[0]
    licenses = (files("navitas.report") / "viewer" / "LICENSE").read_text("utf-8") + "\n" + _resource("html_viewer_licenses.txt")
    code = "".join(f"<script>{script}</script>" for script in scripts)
    return (
        f"<!DOCTYPE html><!--\nspeedscope\n{licenses}-->"
        '<html lang="en"><head><meta charset="utf-8"><title>Flame graph</title>'
        f"<style>{style}</style></head><body>{code}</body></html>"
    )


def _resource(name: str) -> str:
    return (files("navitas.report") / name).read_text("utf-8")

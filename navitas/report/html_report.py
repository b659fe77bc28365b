"""The HTML report: one page without other files, with summary, flame graph, tables of tests, methods, components and threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import IO

from navitas.base.html_page.page import base_style, document, embedded_json, text
from navitas.base.units import battery_rate, battery_share, charge, joules, watts
from navitas.energy.analyze.cpu_use import CPU
from navitas.energy.analyze.flame_nodes import FlameNodes, flame_nodes
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.attribute.ledger import counted_wall_ns
from navitas.report.figure_notes import evidence_groups, measured_by_rails, tick_note, uncertainty_note
from navitas.report.format import Format
from navitas.report.html_components import components_section, methods_by_component_section
from navitas.report.html_tables import baseline_section, handed_work_section, methods_section, tests_section, threads_section
from navitas.report.speedscope import graph_chunks

_SANDBOX = "allow-scripts allow-downloads"
_MISSING = (
    "This installation of Navitas has no flame graph viewer: run <code>make viewer</code> in its checkout and write the report"
    " again, or open the file of <code>navitas report RECORDING --speedscope FILE</code> in speedscope."
)
_MAX_WARNINGS = 500
_MAX_NOTE_LENGTH = 2000


def write(profile: Profile, out: IO[str]) -> None:
    """Write the page. With repeats, flame graph, methods and threads show the run of each test that is nearest to the median."""
    style, viewer = base_style() + _resource("html_report.css"), viewer_scripts()
    scripts, body = (_resource("html_report.js"), *viewer), _body(profile, viewer)
    # The viewer creates styles at run time, so a hash can't allow them.
    out.writelines(document(f"{profile.project} – energy", style, body, scripts=scripts, style_source="'unsafe-inline'"))


FORMAT = Format("html", ".html", "a page for a browser, with the flame graph", write)


def _body(profile: Profile, viewer: tuple[str, ...]) -> Iterator[str]:
    tests = profile.tests_by_class if profile.is_by_class else profile.tests
    groups = profile.classes() if profile.is_by_class else profile.repeats()
    shown = [group.typical for group in groups]
    yield _summary(profile, groups, tests)
    yield _warnings(profile)
    if any(thread.nodes for test in shown for thread in test.threads):
        yield from flame_graph(profile, flame_nodes(shown), viewer)
    yield tests_section(profile, groups, tests)
    yield baseline_section(groups)
    yield methods_section(profile, shown)
    yield handed_work_section(profile)
    yield components_section(profile)
    yield methods_by_component_section(profile, shown)
    yield threads_section(profile, shown)
    yield _about(profile)


def _summary(profile: Profile, groups: Sequence[Repeats], tests: Sequence[TestEnergy]) -> str:
    device, totals, wall_ns = profile.about.device, profile.totals, counted_wall_ns(profile.ledger)
    power_w = totals.energy_j / (wall_ns / 1e9) if wall_ns > 0 else None
    volts, battery_mah = profile.about.voltage_v, profile.about.battery_mah
    rate = "" if power_w is None else battery_rate(power_w, volts, battery_mah)
    share = battery_share(totals.energy_j, volts, battery_mah)
    count = len(groups) + sum(test.wall_ns == 0 for test in tests)
    failed = sum(any(test.status in ("failed", "cut") for test in group.tests) for group in groups)
    runs = f" of {totals.repeats} runs" if totals.repeats > 1 else ""
    facts = [
        (joules(totals.energy_j), f"energy in total{runs}"),
        ("–" if power_w is None else watts(power_w), "mean power"),
        *([(rate, "of a full battery at this power")] if rate else []),
        (charge(totals.energy_j, volts), f"charge, {share} of the battery" if share else "charge"),
        (joules(totals.threads_j), "the app's process"),
        (joules(totals.base_j), "base: used because time passes"),
        (joules(totals.other_processes_j), "other processes"),
        (joules(totals.unattributed_j), "unattributed"),
        (joules(totals.outside_tests_j), "outside of tests"),
        (f"{count:,}", f"tests, {failed:,} of them failed or cut" if failed else "tests, none of them failed"),
    ]
    rails = f"<p>The device's rails{text(note, _MAX_NOTE_LENGTH)}</p>\n" if (note := measured_by_rails(profile)) else ""
    virtual = " (virtual phone: an estimate as if on this phone)" if device.get("kind") == "virtual" else ""
    return (
        f"<header><h1>{text(profile.project)} <small>on {text(str(device.get('model', '')))}{virtual}</small></h1></header>\n"
        f"<div class=facts>{''.join(f'<div><b>{text(value)}</b>{text(what)}</div>' for value, what in facts)}</div>\n"
        f"{rails}{_evidence(profile)}"
    )


def _evidence(profile: Profile) -> str:
    lines = []
    for evidence in evidence_groups(profile):
        subject = ", ".join("CPU" if component == CPU else component for component in evidence.components)
        line = f"<b>Evidence for {text(subject, _MAX_NOTE_LENGTH)}: {text(evidence.level)}</b>"
        line += f" ({text(evidence.basis, _MAX_NOTE_LENGTH)})." if evidence.basis else "."
        if evidence.expected_error is not None:
            line += f" Expected error: half of all methods are off by less than {100 * evidence.expected_error:.0f} %."
        reasons = "".join(f"<li>{text(reason, _MAX_NOTE_LENGTH)}</li>" for reason in evidence.reason_lines()[:_MAX_WARNINGS])
        lines.append(
            f"<p>{line}</p>"
            + (f"<details><summary>Why not better evidence</summary><ul>{reasons}</ul></details>" if reasons else "")
        )
    lines += [f"<p>{text(note, _MAX_NOTE_LENGTH)}</p>" for note in (tick_note(profile), uncertainty_note(profile)) if note]
    return "\n".join(lines) + "\n"


def _warnings(profile: Profile) -> str:
    if not profile.warnings:
        return ""
    items = "".join(
        f"<li>{text(notice.message, _MAX_NOTE_LENGTH)}<br><small>{text(notice.remedy, _MAX_NOTE_LENGTH)}</small></li>"
        for notice in profile.warnings[:_MAX_WARNINGS]
    )
    more = len(profile.warnings) - _MAX_WARNINGS
    rest = f"<p>{more:,} more warnings are in the JSON report.</p>" if more > 0 else ""
    return f'<section><h2 id="warnings-title">Warnings</h2><ul class=warnings>{items}</ul>{rest}</section>\n'


def _about(profile: Profile) -> str:
    about = profile.about
    profile_name, source = about.power_profile.get("name", ""), about.power_profile.get("voltage_source", "")
    facts = [
        f"power profile {profile_name}",
        f"{about.voltage_v:g} V ({source})",
        f"recorded {about.created_utc}" if about.created_utc else "",
        f"Navitas {about.provenance['navitas_version']}" if "navitas_version" in about.provenance else "",
    ]
    return f"<footer><p>{text('; '.join(filter(None, facts)), _MAX_NOTE_LENGTH)}</p></footer>\n"


def viewer_scripts() -> tuple[str, ...]:
    """Return the scripts of the viewer's frame, in order. Empty if the viewer is not installed."""
    if not (files("navitas.report") / "viewer" / "speedscope.js").is_file():
        return ()
    code = _resource("viewer/speedscope.js").partition("\n//# sourceMappingURL=")[0]
    return _resource("html_viewer_before.js"), code, _resource("html_viewer_after.js")


def flame_graph(profile: Profile, flames: FlameNodes, scripts: tuple[str, ...]) -> Iterator[str]:
    """Yield the section of the flame graph in chunks of text. `scripts` are those of `viewer_scripts`."""
    yield '<section aria-labelledby="flame-title"><h2 id="flame-title">Flame graph</h2>'
    if not scripts:
        yield f'<p id="flame-status">{_MISSING}</p></section>\n'
        return
    yield (
        "<p>Width is energy in µJ, not time: tests, below them threads, below them calls. Double-click a frame to enlarge it;"
        " <i>Left Heavy</i> merges equal calls, <i>Sandwich</i> lists methods with their callers."
    )
    if flames.omitted or flames.smaller_tests:
        least, omitted = text(joules(flames.min_energy_j)), f"{flames.omitted:,} nodes of the call trees"
        yield f" Tests, threads and calls below {least} are summed up as <i>smaller</i>: {omitted}."
    yield "</p>"
    yield '<p id="flame-status" role="status">The flame graph needs JavaScript.</p>'
    yield f'<iframe id="flame" title="Flame graph (speedscope)" sandbox="{_SANDBOX}"></iframe></section>\n'
    # The template stores the frame's document. The page's script loads it into the frame.
    yield f'<template id="viewer" data-document="{escape(_frame(scripts))}"></template>\n'
    yield from embedded_json(graph_chunks(profile, flames), "flame-data")


def _frame(scripts: tuple[str, ...]) -> str:
    # The report omits the viewer's font. The style names fallback fonts.
    style = _resource("viewer/speedscope.css").partition("@font-face")[0]
    licenses = _resource("viewer/LICENSE") + "\n" + _resource("html_viewer_licenses.txt")
    code = "".join(f"<script>{script}</script>" for script in scripts)
    return (
        f"<!DOCTYPE html><!--\nspeedscope\n{licenses}-->"
        '<html lang="en"><head><meta charset="utf-8"><title>Flame graph</title>'
        f"<style>{style}</style></head><body>{code}</body></html>"
    )


def _resource(name: str) -> str:
    return (files("navitas.report") / name).read_text("utf-8")

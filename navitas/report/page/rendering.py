"""Renders the page by its templates: first the answer, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from navitas.base.html_page.templates import rendered
from navitas.base.json_text import json_chunks
from navitas.base.units import battery_rate, battery_share, charge, joules, watts
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.top import mean_of
from navitas.energy.attribute.ledger import counted_wall_ns
from navitas.insight.verdict.verdict import verdict_of
from navitas.report.change import changed
from navitas.report.figure_notes import evidence_notes
from navitas.report.page.page_basis import PageBasis
from navitas.report.page.page_data import PageLimits, page_data
from navitas.report.page.page_tables import methods_table, other_tables, tests_table

MAX_BYTES = 5_000_000
"""The largest page."""
_SCRIPTS = (
    *("selection", "pagedata", "figures", "filters", "methodtables", "series"),
    *("timechart", "timerange", "timeline", "calltrees", "icicle", "flame", "calltree", "start"),
)
"""The page's own scripts, in the order in which they run."""
_MAX_WARNINGS = 500


def page_parts(basis: PageBasis) -> list[str]:
    """Return the page in parts. A page that would be larger than `MAX_BYTES` has fewer nodes, rows and values over time."""
    limits = PageLimits()
    parts = list(_page(basis, limits))
    while _size_bytes(parts) > MAX_BYTES and limits.rows > 1:
        parts = []  # It goes before the next one is made.
        limits = limits.smaller()
        parts = list(_page(basis, limits))
    return parts


def _size_bytes(parts: list[str]) -> int:
    return sum(len(part.encode()) for part in parts)


def _page(basis: PageBasis, limits: PageLimits) -> Iterator[str]:
    profile, before = basis.profile, basis.before
    return rendered(
        "navitas.report.page",
        "page.html.jinja",
        style="page.css",
        scripts=_SCRIPTS,
        data=json_chunks(page_data(basis, limits)),
        title=f"{profile.project} – energy",
        project=profile.project,
        device=_device(profile),
        basis=basis.sentence,
        verdict=verdict_of(basis, None if before is None else changed(basis, before.name, before.figures)),
        tests=tests_table(basis, limits.rows),
        methods=methods_table(basis, limits.rows),
        tables=other_tables(basis, limits.rows),
        facts=_facts(basis),
        evidence=[(note, reasons[:_MAX_WARNINGS]) for note, reasons in evidence_notes(profile)],
        warnings=profile.warnings[:_MAX_WARNINGS],
        more_warnings=max(len(profile.warnings) - _MAX_WARNINGS, 0),
        provenance=_provenance(profile),
    )


def _device(profile: Profile) -> str:
    device = profile.about.device
    virtual = " (virtual phone: an estimate as if on this phone)" if device.get("kind") == "virtual" else ""
    return f"{device.get('model', '')}{virtual}"


def _facts(basis: PageBasis) -> list[tuple[str, str]]:
    """Return figures of the whole recording and their names, per run."""
    profile, runs = basis.profile, basis.repeats
    totals, wall_ns = mean_of(profile.totals, runs), counted_wall_ns(profile.ledger)
    power_w = profile.totals.energy_j / (wall_ns / 1e9) if wall_ns > 0 else None
    volts, battery_mah = profile.about.voltage_v, profile.about.battery_mah
    rate = "" if power_w is None else battery_rate(power_w, volts, battery_mah)
    share = battery_share(totals.energy_j, volts, battery_mah)
    return [
        (joules(totals.energy_j), "whole recording, per run" if runs > 1 else "whole recording"),
        ("–" if power_w is None else watts(power_w), "mean power"),
        *([(rate, "of a full battery at this power")] if rate else []),
        (charge(totals.energy_j, volts), f"charge, {share} of the battery" if share else "charge"),
        (joules(totals.threads_j), "the app's process"),
        (joules(totals.base_j), "base: used because time passes"),
        (joules(totals.other_processes_j), "other processes"),
        (joules(totals.unattributed_j), "unattributed"),
        (joules(totals.outside_tests_j), "outside of tests"),
    ]


def _provenance(profile: Profile) -> list[str]:
    about = profile.about
    facts = [
        f"power profile {about.power_profile.get('name', '')}",
        f"{about.voltage_v:g} V ({about.power_profile.get('voltage_source', '')})",
        f"recorded {about.created_utc}" if about.created_utc else "",
        f"Navitas {about.provenance['navitas_version']}" if "navitas_version" in about.provenance else "",
    ]
    return [fact for fact in facts if fact]

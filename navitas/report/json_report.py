"""The JSON report, version 2 (docs/json-report.md, schema.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from operator import attrgetter
from typing import IO, Any

import numpy as np

from navitas import __version__
from navitas.base.json_text import Inline, JsonLines, fields, json_chunks, line
from navitas.base.units import share
from navitas.energy.analyze.energy_tree import EnergyTree
from navitas.energy.analyze.handed_work import HandedWork
from navitas.energy.analyze.method_bytes import MethodBytes
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Totals
from navitas.energy.analyze.repeats import Repeats
from navitas.energy.analyze.spread import Interval, Spread
from navitas.energy.analyze.timeline import ComponentTimelines
from navitas.energy.analyze.top import ComponentShare, EnergyUser
from navitas.energy.analyze.uncertainty import StandardError
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.method_figures import MethodFigures
from navitas.insight.verdict.thread_figures import ThreadUse
from navitas.insight.verdict.verdict import verdict_of
from navitas.report.format import Format
from navitas.report.json_rows import MethodLines, node_lines, shares
from navitas.report.json_tests import ERRORS, TestTexts
from navitas.report.page_request import EarlierRecording, change_since
from navitas.report.view_request import ViewRequest

SCHEMA_VERSION = 2
_CAUSES = attrgetter(*ERRORS)


def schema() -> dict[str, Any]:
    """Return the report's JSON Schema (draft 2020-12)."""
    loaded: dict[str, Any] = json.loads((files("navitas.report") / "schema.json").read_text("utf-8"))
    return loaded


def write(profile: Profile, out: IO[str], *, views: ViewRequest | None = None, before: EarlierRecording | None = None) -> None:
    """Write the report test by test, with a line feed at the end. Raises `ValueError` for a figure that isn't finite."""
    more = {} if views is None else {"views": _views(profile, views)}
    out.writelines(json_chunks({**_report(profile, before), **more}))
    out.write("\n")


FORMAT = Format("json", ".json", "all figures for scripts, by a versioned schema", write, options=("views", "before"))


def _report(profile: Profile, before: EarlierRecording | None) -> dict[str, Any]:
    about, components, handed, figures = profile.about, profile.components, profile.handed_work(), Figures(profile)
    consumers = [_without_none(**asdict(one) | {"consumers": list(one.consumers)}) for one in profile.consumers]
    moved: dict[int, list[MethodBytes]] = {}
    for one in profile.method_bytes():
        moved.setdefault(one.id, []).append(one)
    lines = MethodLines(profile.method_table, components, profile.ledger.alternative)
    return {
        "schema_version": SCHEMA_VERSION,
        "navitas_version": __version__,
        "project": profile.project,
        "created_utc": about.created_utc,
        "provenance": dict(about.provenance),
        "device": dict(about.device),
        "components": list(components),
        "evidence": _evidence(profile),
        "settings": dict(about.settings),
        **({"selected_tests": list(about.selected)} if about.selected else {}),
        "power_profile": dict(about.power_profile),
        **fields(about, "voltage_v", "battery_mah"),
        **({"consumers": consumers} if consumers else {}),
        "totals": _totals(profile.totals, profile.total_error(), components),
        "verdict": verdict_of(figures, change_since(before, figures)).as_json(),
        "app": {"energy_j": figures.app_j, "interval_j": _ends(figures.app_interval)},
        "repeats": _repeats(profile, profile.repeats()),
        **({"classes": _repeats(profile, profile.classes())} if profile.is_by_class else {}),
        "methods": JsonLines(_method(each, lines, profile, moved) for each in figures.methods),
        "threads": [_thread_use(use, components) for use in figures.all_threads],
        **({"handed_work": JsonLines(_handed(one, lines, components) for one in handed)} if handed else {}),
        "tests": TestTexts(profile, lines),
        "warnings": [_without_none(**asdict(notice)) for notice in profile.warnings],
        "losses": [_without_none(**asdict(lost)) for lost in profile.losses],
    }


def _evidence(profile: Profile) -> dict[str, Any]:
    return {
        "time": "exact" if profile.tick_ns is None else "statistical",
        **({} if profile.tick_ns is None else {"tick_ns": profile.tick_ns}),
        **({"samplers": list(profile.samplers)} if profile.samplers else {}),
        "components": {
            each.component: {
                "level": each.level,
                **_without_none(basis=each.basis or None, expected_error=each.expected_error),
                **_without_none(**fields(each, "rails_j", "unscaled_j")),
                "reasons": [
                    {"code": reason.code, "message": str(reason), "runs": reason.runs}
                    | _without_none(**fields(reason, "share_min", "share_max"))
                    for reason in each.reasons
                ],
            }
            for each in profile.evidence
        },
    }


def _totals(totals: Totals, error: StandardError, components: Sequence[str]) -> dict[str, Any]:
    return {
        **fields(totals, "energy_j", "charge_mah"),
        "error": _error(error),
        **fields(totals, "threads_j", "other_processes_j", "base_j", "unattributed_j", "outside_tests_j"),
        **_without_none(**fields(totals, "rails_j", "rails_estimate_j")),
        "components": shares(components, totals.components),
    }


def _repeats(profile: Profile, groups: Sequence[Repeats]) -> list[dict[str, Any]]:
    return [
        {
            "module": group.module,
            "class": group.class_name,
            "method": group.method,
            "energies_j": list(group.energy_j.values),
            **_spread(group.energy_j),
            "compensated_median_j": group.compensated_median_j,
            "app_median_j": group.app_j.median,
            "app_interval_j": _ends(profile.app_interval(group)),
            "components": shares(profile.components, group.components),
            "pace": {name: [getattr(use, name) for use in pace.uses] for name in ("cpu_ns", "calls", "cpu_per_s")}
            | fields(pace, "cpu_ratio", "calls_ratio", "rate_ratio"),
        }
        for group, pace in ((group, profile.pace(group)) for group in groups)
    ]


def _spread(spread: Spread) -> dict[str, Any]:
    interval_j = None if (interval := spread.interval) is None else _ends(interval)
    return {"n": len(spread.counted), "median_j": spread.median, "spread_j": spread.spread, "interval_j": interval_j}


def _by_repeat(spread: Spread) -> dict[str, Any]:
    return {"values": list(spread.values), **_spread(spread)}


def _ends(interval: Interval) -> list[float]:
    return [interval.low, interval.high]


def _thread_use(use: ThreadUse, components: Sequence[str]) -> dict[str, Any]:
    return {
        **fields(use, "name", "role"),
        "energy_j": use.known(use.energy_j),
        "interval_j": None if use.known(use.energy_j) is None else _ends(use.interval),
        "runs": _by_repeat(use.runs),
        "outside_j": use.known(use.outside_j),
        "probes_j": use.known(use.probes_j),
        "cpu_ns": use.known(use.cpu_ns),
        "components": shares(components, use.components),
    }


def _method(method: MethodFigures, lines: MethodLines, profile: Profile, moved: Mapping[int, Sequence[MethodBytes]]) -> str:
    repeats, total, components = method.repeats, method.total, profile.components
    unknown = total.known(total.exclusive_j) is None
    self_part = {"part_j": method.self_j, "part_interval_j": _ends(method.interval)}
    figures = {
        **fields(total.method, "file", "line"),
        "calls": list(repeats.calls),
        **({"samples": total.samples} if profile.is_sampled else {}),
        **({"measured_calls": total.measured_calls} if total.calls and total.measured_calls != total.calls else {}),
        **fields(total, "throws", "cut"),
        "exclusive_j": None if unknown else _by_repeat(repeats.exclusive_j) | self_part,
        "inclusive_j": None if unknown else _by_repeat(repeats.inclusive_j) | {"part_j": method.inclusive_j},
        "inclusive_error": _error(total.inclusive_error),
        "exclusive_error": _error(total.exclusive_error),
        "components": shares(components, total.components),
        **({"inclusive_components": shares(components, total.inclusive_components)} if len(components) > 1 else {}),
        **({"bytes": {one.component: _bytes(one) for one in moved[total.id]}} if total.id in moved else {}),
    }
    return f"{{{lines.name(total.id)}, {line(figures)[1:]}"


def _error(error: StandardError) -> Inline:
    return Inline(zip(ERRORS, (float(f"{joules:.3g}") for joules in _CAUSES(error)), strict=True))


def _handed(one: HandedWork, lines: MethodLines, components: Sequence[str]) -> str:
    figures = {
        **fields(one, "tasks", "run_ns", "energy_j"),
        "components": shares(components, one.components),
        "threads": list(one.threads),
        **fields(one, "other_threads", "unmeasured_tasks"),
    }
    return f"{{{lines.name(one.id)}, {line(figures)[1:]}"


def _bytes(moved: MethodBytes) -> dict[str, float]:
    return {
        "received": moved.received_bytes,
        "sent": moved.sent_bytes,
        "inclusive_received": moved.inclusive_received_bytes,
        "inclusive_sent": moved.inclusive_sent_bytes,
    }


def _views(profile: Profile, request: ViewRequest) -> dict[str, Any]:
    """Return the requested views. Trees have all their levels."""
    made = {"top": _top, "timeline": _timeline, "tree": _tree}
    return {name: made[name](profile, request) for name in request.names}


def _top(profile: Profile, request: ViewRequest) -> dict[str, Any]:
    found = profile.top()
    return {
        "energy_j": found.energy_j,
        "components": [_component(use, found.energy_j) for use in found.components if request.component in (None, use.component)],
        "users": [_user(user, profile, request) for user in found.users],
    }


def _component(use: ComponentShare, total_j: float) -> dict[str, Any]:
    owners = fields(use, "threads_j", "other_processes_j", "base_j", "unattributed_j", "level")
    rails = _without_none(**fields(use, "rails_j", "unscaled_j"))
    return {**fields(use, "component", "energy_j"), "share": share(use.energy_j, total_j), **owners, **rails}


def _user(user: EnergyUser, profile: Profile, request: ViewRequest) -> dict[str, Any]:
    by_component = dict(zip(profile.components, user.components, strict=True))
    if request.component is not None:
        by_component = {request.component: by_component[request.component]}
    return {"kind": user.kind, "name": user.name, "energy_j": sum(by_component.values()), "components": Inline(by_component)}


def _timeline(profile: Profile, request: ViewRequest) -> dict[str, Any]:
    return _without_none(thread=request.thread, runs=map(_run, request.timelines(profile)[1]))


def _run(found: ComponentTimelines) -> dict[str, Any]:
    return {
        **fields(found, "run", "module", "repeat"),
        "start_ns": int(found.edges_ns[0]),
        "end_ns": int(found.edges_ns[-1]),
        "step_ns": found.step_ns,
        "power_w": dict(zip(found.components, found.power_w.T.tolist(), strict=True)),
    }


def _tree(profile: Profile, request: ViewRequest) -> dict[str, Any]:
    return {"threads": [_tree_of(tree) for tree in request.trees(profile)]}


def _tree_of(tree: EnergyTree) -> dict[str, Any]:
    names = tree.components
    return {
        **fields(tree, "name", "role", "energy_j"),
        "components": shares(names, tree.energy),
        **{name: shares(names, value) for name, value in fields(tree, "untraced", "probes", "outside_tests").items()},
        "nodes": JsonLines(node_lines(np.arange(len(tree.nodes)), tree.nodes, names)),
    }


def _without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}

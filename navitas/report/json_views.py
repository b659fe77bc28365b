"""The views in the JSON report."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from navitas.base.json_text import Inline, JsonLines
from navitas.base.units import share
from navitas.energy.analyze.energy_tree import EnergyTree
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.timeline import ComponentTimelines
from navitas.energy.analyze.top import ComponentShare, EnergyUser
from navitas.report.json_rows import node_lines, shares
from navitas.report.view_request import ViewRequest


def json_views(profile: Profile, request: ViewRequest) -> dict[str, Any]:
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
    fields = {name: value for name, value in asdict(use).items() if value is not None and name != "is_silent"}
    return {"component": use.component, "energy_j": use.energy_j, "share": share(use.energy_j, total_j), **fields}


def _user(user: EnergyUser, profile: Profile, request: ViewRequest) -> dict[str, Any]:
    by_component = dict(zip(profile.components, user.components, strict=True))
    if request.component is not None:
        by_component = {request.component: by_component[request.component]}
    return {"kind": user.kind, "name": user.name, "energy_j": sum(by_component.values()), "components": Inline(by_component)}


def _timeline(profile: Profile, request: ViewRequest) -> dict[str, Any]:
    named = {} if request.thread is None else {"thread": request.thread}
    return {**named, "runs": map(_run, request.timelines(profile)[1])}


def _run(found: ComponentTimelines) -> dict[str, Any]:
    return {
        "run": found.run,
        "module": found.module,
        "repeat": found.repeat,
        "start_ns": int(found.edges_ns[0]),
        "end_ns": int(found.edges_ns[-1]),
        "step_ns": found.step_ns,
        "power_w": dict(zip(found.components, found.power_w.T.tolist(), strict=True)),
    }


def _tree(profile: Profile, request: ViewRequest) -> dict[str, Any]:
    return {"threads": [_thread(tree) for tree in request.trees(profile)]}


def _thread(tree: EnergyTree) -> dict[str, Any]:
    names = tree.components
    return {
        "name": tree.name,
        "role": tree.role,
        "energy_j": tree.energy_j,
        "components": shares(names, tree.energy),
        "untraced": shares(names, tree.untraced),
        "probes": shares(names, tree.probes),
        "outside_tests": shares(names, tree.outside_tests),
        "nodes": JsonLines(node_lines(tree.nodes, names)),
    }

"""The page of any run with hardware: it can be written, its figures are finite, and its nodes add up to its tests."""

from __future__ import annotations

import json
from random import Random

import pytest
from hardware_maker import profile_of, random_hardware_run
from hypothesis import given, settings
from hypothesis import strategies as st
from support.html_pages import Page
from support.reports import text_of

from navitas.recording.parse.hook_calls import HookKind
from navitas.report.page import page_report
from navitas.report.page.page_basis import PageBasis


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_nodes_add_up_to_the_tests(seed: int) -> None:
    random = Random(seed)
    runs = [random_hardware_run(random) for _ in range(random.choice([1, 1, 2]))]
    made = profile_of(*runs, api_kinds=[int(kind) for kind in HookKind][:3])
    text = text_of(page_report.write, made)
    data = Page(text).data["page-data"]
    nodes, tests, bins = data["nodes"], data["tests"], data["bins"]
    assert not {"NaN", "Infinity"} & set(json.dumps(data).replace(",", " ").split())
    total_uj, app_uj = [0.0] * len(tests["label"]), [0.0] * len(tests["label"])
    for test, thread, self_uj in zip(nodes["test"], nodes["thread"], nodes["self_uj"], strict=True):
        total_uj[test] += self_uj
        app_uj[test] += self_uj * data["threads"]["app"][thread]
    wholes_uj = [1e6 * group.compensated_j.median for group in PageBasis(made).groups]
    size = 1e-4 * max(map(abs, [1e-6, *wholes_uj]))
    assert total_uj[: len(wholes_uj)] == pytest.approx(wholes_uj, rel=1e-4, abs=size)
    assert app_uj == pytest.approx(tests["app_uj"], rel=1e-4, abs=size)
    over_time = [0.0] * len(nodes["self_uj"])
    for node, uj in zip(bins["node"], bins["uj"], strict=True):
        over_time[node] += uj
    assert over_time == pytest.approx(nodes["self_uj"], rel=1e-3, abs=size)
    for component, part in nodes["by"].items():
        assert component in data["components"] and len(part["node"]) == len(part["uj"])

"""The bytes of methods: of their own, with those of callees, and in reports."""

from __future__ import annotations

from random import Random

import jsonschema
import numpy as np
import pytest
from attribution_maker import nested, run, thread
from hardware_maker import hooks, profile_of, random_hardware_run
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reports import closed, data_of, printed
from support.run_tables import changed

from navitas.base.units import byte_count
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.calls.paths import PROBES
from navitas.recording.parse.hook_calls import HookKind
from navitas.report import json_report
from navitas.report.terminal.terminal_report import TerminalReport

READ, WRITE = HookKind.NET_READ, HookKind.NET_WRITE


def downloaded() -> Profile:
    """m0 calls itself and the API m1, which receives 5000 bytes; m0 sends 300 bytes by itself; m2 moves none."""
    calls = nested((100, 800, 0), (150, 700, 0), (200, 300, 1)), nested((850, 900, 2))
    caller = thread(1, sorted([*calls[0], *calls[1]]), [(0, 0), (1000, 100)])
    used = hooks([(0, 210, 290, 5000, READ, False, 7), (0, 400, 410, 300, WRITE, False, 7)])
    return profile_of(changed(run([caller], [(0, 1000)]), hooks=used), api_kinds=(0, int(READ)))


def test_bytes_are_of_the_call_and_inclusive_of_its_callers() -> None:
    found = {one.method.name: one for one in downloaded().method_bytes()}
    assert set(found) == {"m0", "m1"}
    outer, api = found["m0"], found["m1"]
    assert (outer.component, outer.received_bytes, outer.sent_bytes) == ("wifi", 0, 300)
    assert (outer.inclusive_received_bytes, outer.inclusive_sent_bytes) == (5000, 300), "recursion counts once"
    assert (api.received_bytes, api.inclusive_received_bytes, api.sent_bytes) == (5000, 5000, 0)


def test_reports_have_the_bytes_of_methods() -> None:
    made = downloaded()
    report = data_of(json_report.write, made)
    jsonschema.validate(report, closed(json_report.schema()))
    by_name = {method["name"]: method.get("bytes") for method in report["methods"]}
    wanted = {"received": 0, "sent": 300, "inclusive_received": 5000, "inclusive_sent": 300}
    assert (by_name["m0"], by_name["m2"]) == ({"wifi": wanted}, None)
    (line,) = (line for line in printed(TerminalReport(), made, 140).splitlines() if line.startswith("a.C.m1 "))
    assert " 5.00 kB " in line and " wifi " in line


@pytest.mark.parametrize(("value", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (1.5e6, "1.50 MB"), (2e9, "2.00 GB")])
def test_byte_counts(value: float, text: str) -> None:
    assert byte_count(value) == text


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32).map(Random))
def test_bytes_of_methods_add_up_to_the_transfers(random: Random) -> None:
    made = profile_of(random_hardware_run(random), api_kinds=[random.choice([0, 1, 2, 3, 4]) for _ in range(5)])
    transfers, paths, found = made.ledger.transfers, made.ledger.paths, made.method_bytes()
    for number, name in enumerate(made.components):
        rows = (transfers.component == number) & (transfers.path > PROBES)
        own = [one for one in found if one.component == name]
        assert sum(one.received_bytes for one in own) == pytest.approx(float(transfers.received_bytes[rows].sum()))
        assert sum(one.sent_bytes for one in own) == pytest.approx(float(transfers.sent_bytes[rows].sum()))
        wanted: dict[int, float] = {}
        for row in np.flatnonzero(rows).tolist():
            path, methods = int(transfers.path[row]), set()
            while path > PROBES:
                methods.add(int(paths.method[path]))
                path = int(paths.parent[path])
            for method in methods:
                wanted[method] = wanted.get(method, 0.0) + float(transfers.received_bytes[row])
        inclusive = {one.id: one.inclusive_received_bytes for one in own if one.inclusive_received_bytes}
        assert inclusive == pytest.approx({method: value for method, value in wanted.items() if value})

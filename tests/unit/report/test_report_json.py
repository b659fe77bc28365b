"""The JSON report matches its schema, its docs and the golden example."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from profile_maker import ABOUT, TICKED, one_run, profile
from support.reports import closed, data_of, text_of

import navitas.report.json_report as module
from navitas.energy.analyze.profile import Profile
from navitas.report.json_report import schema, write

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "made", [profile(), profile(alternative="paper1"), profile(run=TICKED), profile(one_run(0, 8.0), one_run(1, 9.0, "cut"))]
)
def test_reports_fit_the_schema(made: Profile) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(data_of(write, made), schema())


def test_the_schema_knows_every_field() -> None:
    run = replace(TICKED, rails_j=1.0, rails_estimate_j=1.0)
    jsonschema.validate(data_of(write, profile(alternative="paper1", run=run)), closed(schema()))


def test_every_field_is_documented() -> None:
    text = (ROOT / "docs/json-report.md").read_text("utf-8")

    def names(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = set(part.get("properties", {}))
            return own.union(*(names(value) for value in part.values())) if part else own
        return set().union(*map(names, part)) if isinstance(part, list) else set()

    assert not {name for name in names(schema()) if f"`{name}`" not in text}


def test_the_example_stays_as_it_is(monkeypatch: pytest.MonkeyPatch, golden: Callable[[str, str], None]) -> None:
    monkeypatch.setattr(module, "__version__", "0")
    report = data_of(write, profile(one_run(0, 10.0), one_run(1, 12.0)))
    golden("report/report.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def test_each_node_is_one_line() -> None:
    lines = [line.strip().rstrip(",") for line in text_of(write, profile()).splitlines()]
    assert {"id": 0, "parent": -1, "method": 0, "calls": 1, "inclusive_j": 6, "exclusive_j": 1, "wall_ns": 950_000_000} in [
        json.loads(line) for line in lines if line.startswith('{"id": 0, "parent"')
    ]


def test_rows_are_written_alike_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    made = profile(one_run(0, 8.0), one_run(1, 9.0, "cut"), one_run(2, 10.0))
    whole = text_of(write, made)
    monkeypatch.setattr("navitas.report.json_tests.BLOCK_TESTS", 1)
    monkeypatch.setattr("navitas.report.json_tests.BLOCK_ROWS", 1)
    monkeypatch.setattr("navitas.energy.analyze.records_of_tests.BLOCK_ROWS", 1)
    assert text_of(write, made) == whole


def test_repeats_contain_every_run_and_the_median_of_complete_runs() -> None:
    made = profile(one_run(0, 10.0), one_run(1, 14.0), one_run(2, 11.0), one_run(3, 5.0, "cut"))
    (repeats,) = data_of(write, made)["repeats"]
    assert (repeats["energies_j"], repeats["n"], repeats["median_j"]) == ([10.0, 14.0, 11.0, 5.0], 3, 11.0)


def test_medians_of_tests_and_of_their_methods_are_over_the_same_runs() -> None:
    report = data_of(write, profile(one_run(0, 10.0), one_run(1, 14.0), one_run(2, 5.0, "cut")))
    (sort,) = (method["exclusive_j"] for method in report["methods"] if method["name"] == "sort")
    assert (sort["values"], sort["n"], sort["median_j"], sort["spread_j"]) == ([4.0, 8.0, -1.0], 2, 6.0, 4.0)
    assert {method["exclusive_j"]["n"] for method in report["methods"]} == {report["repeats"][0]["n"]}


def test_infinite_figures_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        data_of(write, profile(about=replace(ABOUT, voltage_v=float("inf"))))


def test_lone_surrogates_in_names_can_be_written() -> None:
    test = one_run(0, 10.0)
    odd = replace(test, threads=(replace(test.threads[0], name="a\ud800b"), *test.threads[1:]))
    assert data_of(write, profile(odd))["tests"][0]["threads"][0]["name"] == "a?b"


def test_app_and_base_energy_are_split_by_component() -> None:
    for test in data_of(write, profile(one_run(0, 10.0), one_run(1, 12.0)))["tests"]:
        for energy in ("app", "base"):
            assert sum(test[f"{energy}_components"].values()) == pytest.approx(test[f"{energy}_j"]), energy


def test_app_energy_is_that_of_tests_and_of_its_threads_with_intervals() -> None:
    report = data_of(write, profile(one_run(0, 10.0), one_run(1, 14.0), one_run(2, 12.0)))
    app, threads = report["app"], [thread for thread in report["threads"] if thread["role"] not in ("jit", "profiler")]
    assert app["energy_j"] == pytest.approx(sum(test["app_median_j"] for test in report["repeats"]))
    assert app["energy_j"] == pytest.approx(sum(thread["energy_j"] for thread in threads))
    methods_j = sum(method["exclusive_j"]["part_j"] for method in report["methods"])
    assert methods_j + sum(thread["outside_j"] for thread in threads) == pytest.approx(app["energy_j"])
    assert app["interval_j"] == report["repeats"][0]["app_interval_j"]
    for figure, (low, high) in (
        (app["energy_j"], app["interval_j"]),
        *((thread["energy_j"], thread["interval_j"]) for thread in threads),
        *((method["exclusive_j"]["part_j"], method["exclusive_j"]["part_interval_j"]) for method in report["methods"]),
    ):
        assert low < figure < high
    assert {thread["runs"]["n"] for thread in threads} == {3}

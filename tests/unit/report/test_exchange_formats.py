"""Formats for other programs, read as these programs read them: figures, intervals, and names that they cannot hold."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lamp import lit
from profile_maker import ABOUT, profile
from support.hostile_profile import hostile_profile
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec
from support.messenger_profile import messenger, polls, waits
from support.reports import data_of, text_of

from navitas.base.untrusted_text import escaped, is_printable
from navitas.energy.analyze.profile import Profile
from navitas.report import bencher, benchmark_data, csv_table, feather, json_report, junit, openmetrics, parquet, sarif

BMF = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {name: {"type": "number"} for name in ("value", "lower_value", "upper_value")},
            "required": ["value"],
            "additionalProperties": False,
        },
    },
}
"""https://bencher.dev/docs/reference/bencher-metric-format, without unknown fields."""
_METRIC = {
    "type": "object",
    "properties": {
        **{name: {"type": "number"} for name in ("minimum", "maximum", "median")},
        "runs": {"type": "array", "items": {"type": "number"}, "minItems": 1},
    },
    "required": ["minimum", "maximum", "median", "runs"],
}
_BENCHMARK = {
    "name": {"type": "string"},
    "params": {"type": "object", "additionalProperties": {"type": "string"}},
    "className": {"type": "string"},
    "totalRunTimeNs": {"type": "integer"},
    "metrics": {"type": "object", "additionalProperties": _METRIC},
    "sampledMetrics": {"type": "object"},
    "warmupIterations": {"type": "integer"},
    "repeatIterations": {"type": "integer"},
    "thermalThrottleSleepSeconds": {"type": "integer"},
}
BENCHMARK_DATA = {
    "type": "object",
    "properties": {
        "context": {"type": "object", "required": ["build", "cpuCoreCount", "cpuLocked", "cpuMaxFreqHz", "memTotalBytes"]},
        "benchmarks": {"type": "array", "items": {"type": "object", "properties": _BENCHMARK, "required": list(_BENCHMARK)}},
    },
    "required": ["context", "benchmarks"],
}
"""What androidx.benchmark writes (benchmark-common, `ResultWriter`)."""
WRITERS: dict[str, Callable[..., None]] = {
    "csv": csv_table.write,
    "junit": junit.write,
    "openmetrics": openmetrics.write,
    "benchmarkData": benchmark_data.write,
    "bmf": bencher.write,
    "sarif": sarif.write,
}


def unescaped(text: str) -> str:
    """Undo `escaped`, as docs/formats.md says."""
    code = r"\\(?:\\|u([0-9a-f]{4})|U([0-9a-f]{8}))"
    return re.sub(code, lambda part: chr(int(part[1] or part[2], 16)) if part[1] or part[2] else "\\", text)


def csv_rows(made: Profile) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(csv_table.write, made), newline="")))


def name_of(field: str) -> str:
    return unescaped(field.removeprefix("'"))


@given(st.text(st.characters(codec=None), max_size=60))
def test_an_escaped_name_comes_back(name: str) -> None:
    assert is_printable(escaped(name)) and unescaped(escaped(name)) == name


def test_names_come_back_from_each_format() -> None:
    made = hostile_profile()
    tests = {(test.class_name, test.method) for test in made.tests}
    rows = csv_rows(made)
    assert {(name_of(row["test_class"]), name_of(row["test_method"])) for row in rows if row["test_class"]} == tests
    cases = ElementTree.fromstring(text_of(junit.write, made).encode()).iterfind(".//testcase")
    assert {(unescaped(case.attrib["classname"]), unescaped(case.attrib["name"])) for case in cases} == tests
    benchmarks = data_of(benchmark_data.write, made)["benchmarks"]
    assert {(unescaped(test["className"]), unescaped(test["name"])) for test in benchmarks} == tests
    labels = {f"{class_name}#{method}" for class_name, method in tests}
    assert set(map(unescaped, data_of(bencher.write, made))) == labels
    values = re.findall(
        r'^navitas_test_energy_joules\{test="((?:[^"\\]|\\.)*)"\}', text_of(openmetrics.write, made), re.MULTILINE
    )
    assert {unescaped(re.sub(r"\\(.)", r"\1", value)) for value in values} == labels


@pytest.mark.parametrize("name", WRITERS)
def test_a_report_holds_no_unsafe_character(name: str) -> None:
    text = text_of(WRITERS[name], hostile_profile())
    assert all(is_printable(line) for line in text.split("\n"))


def test_a_spreadsheet_sees_no_formula() -> None:
    made = profile(TestSpec("a.B", "=1+1", 0, (ThreadSpec(1, "-main", 1.0),)))
    fields = {(row["test_method"], row["thread"]) for row in csv_rows(made) if row["thread"]}
    assert fields == {("'=1+1", "'-main")}


def test_rows_have_the_intervals_of_the_json_report() -> None:
    made = messenger()
    methods = {
        (test["method"], thread["name"], method["class"], method["name"]): method
        for test in data_of(json_report.write, made)["tests"]
        for thread in test["threads"]
        for method in thread["methods"]
    }
    rows = [row for row in csv_rows(made) if row["part"] == "method"]
    assert len(rows) == len(methods) == 4
    for row in rows:
        method = methods[row["test_method"], row["thread"], row["class"], row["method"]]
        half_j = 1.96 * method["exclusive_standard_j"]
        assert float(row["exclusive_j"]) == pytest.approx(method["exclusive_j"])
        assert float(row["high_j"]) - float(row["exclusive_j"]) == pytest.approx(half_j, rel=0.01)
        assert float(row["exclusive_j"]) - float(row["low_j"]) == pytest.approx(half_j, rel=0.01)
    assert {(row["low_j"], row["high_j"]) for row in csv_rows(made) if row["part"] != "method"} == {("", "")}


def test_paths_of_a_method_are_one_row() -> None:
    nodes = (NodeSpec(-1, 0, 1, 1.0), NodeSpec(0, 1, 1, 2.0), NodeSpec(0, 2, 1, 0.5), NodeSpec(2, 1, 1, 4.0))
    rows = csv_rows(profile(TestSpec("a.B", "c", 0, (ThreadSpec(1, "main", 9.0, nodes=nodes, cpu_ns=9),))))
    energies = {row["method"]: float(row["exclusive_j"]) for row in rows if row["part"] == "method"}
    assert energies == {"sorts": 1.0, "sort": 6.0, "swap": 0.5}


def test_the_three_tables_are_equal() -> None:
    pytest.importorskip("pyarrow", reason="make setup")
    import pyarrow.feather as arrow_feather  # noqa: PLC0415
    import pyarrow.parquet as arrow_parquet  # noqa: PLC0415

    made, files = messenger(), (io.BytesIO(), io.BytesIO())
    parquet.write(made, files[0])
    feather.write(made, files[1])
    first, second = arrow_parquet.read_table(files[0]).to_pylist(), arrow_feather.read_table(files[1]).to_pylist()
    assert first == second
    plain = [{name: "" if value is None else _field(value) for name, value in row.items()} for row in first]
    assert plain == csv_rows(made)


def _field(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def failing() -> Profile:
    failed = replace(polls(), status="failed", failure="InboxTest.java:7: AssertionError: a < b")
    idle = replace(polls(wall_ns=0, threads=(), base_j=0.0), method="skips", status="ignored")
    return messenger(failed, waits(), replace(waits(), method="stops", status="cut"), idle)


def test_junit_has_outcomes_stack_lines_and_energy() -> None:
    root = ElementTree.fromstring(text_of(junit.write, failing()).encode())
    assert {name: root.attrib[name] for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    cases = {case.attrib["name"]: case for case in root.iterfind(".//testcase")}
    failure = cases["polls"].find("failure")
    assert failure is not None and failure.text == failure.attrib["message"] == "InboxTest.java:7: AssertionError: a < b"
    properties = {item.attrib["name"]: item.attrib["value"] for item in cases["waits"].iterfind("properties/property")}
    assert float(properties["energy_j"]) == 1.5 and float(properties["app_energy_j"]) == 1.0
    assert float(properties["app_energy_half_width_j"]) > 0 and float(properties["mean_power_w"]) == 1.5
    assert cases["stops"].find("error") is not None and cases["skips"].find("skipped") is not None


@pytest.mark.parametrize(
    ("created", "expected"),
    [("2026-01-01T02:00:00.5+02:00", "2026-01-01T00:00:00"), ("2026-01-01T00:00:00", "2026-01-01T00:00:00"), ("soon", None)],
)
def test_junit_has_a_timestamp_in_utc_without_zone(created: str, expected: str | None) -> None:
    made = profile(about=replace(ABOUT, created_utc=created))
    (suite,) = ElementTree.fromstring(text_of(junit.write, made).encode()).iterfind("testsuite")
    assert suite.get("timestamp") == expected


def test_junitparser_reads_the_results() -> None:
    junitparser = pytest.importorskip("junitparser", reason="make setup")
    for made in (failing(), hostile_profile()):
        read = junitparser.JUnitXml.fromstring(text_of(junit.write, made).encode())
        cases = [case for suite in read for case in suite]
        assert len(cases) == len(made.tests) and read.tests == len(cases)


def test_prometheus_reads_the_gauges() -> None:
    parser = pytest.importorskip("prometheus_client.openmetrics.parser", reason="make setup")
    for made in (failing(), hostile_profile(), messenger(polls(poll_j=-0.5))):
        families = {family.name: family for family in parser.text_string_to_metric_families(text_of(openmetrics.write, made))}
        assert {family.type for family in families.values()} == {"gauge", "info"}
        energies = [sample.value for sample in families["navitas_energy_joules"].samples]
        assert sum(energies) == pytest.approx(made.totals.energy_j)


@pytest.mark.parametrize("top", [1, 2, 20])
def test_the_number_of_series_is_bounded_and_the_sum_stays(top: int) -> None:
    made = messenger(*(waits(0, method=f"m{number}") for number in range(5)))
    text = text_of(openmetrics.write, made, top=top)
    series = re.findall(r'^navitas_test_app_energy_joules\{test="(.*)"\} (.*)$', text, re.MULTILINE)
    assert len(series) == min(top + 1, 5) and sum(float(value) for _, value in series) == pytest.approx(5.0)
    assert ("other" in dict(series)) == (top < 5)
    assert text.endswith("# EOF\n")


def test_half_widths_of_one_label_add_up() -> None:
    def half_widths_j(*modules: str) -> list[float]:
        text = text_of(openmetrics.write, messenger(*(polls(module=module) for module in modules)))
        return [float(value) for value in re.findall(r"^navitas_test_energy_half_width_joules\{.*\} (.*)$", text, re.MULTILINE)]

    (same,), apart = half_widths_j("", ":"), half_widths_j(":a", ":")
    assert len(apart) == 2 and min(apart) > 0 and same == pytest.approx(sum(apart))


def test_dashboards_get_values_and_intervals() -> None:
    made = messenger(polls(0, 6.0), polls(1, 8.0), waits())
    bmf, data = data_of(bencher.write, made), data_of(benchmark_data.write, made)
    jsonschema.validate(bmf, BMF)
    jsonschema.validate(data, BENCHMARK_DATA)
    app = bmf["org.example.InboxTest#polls"]["app-energy-joules"]
    (group, _) = made.repeats()
    interval = made.app_interval(group)
    assert app["value"] == 11.0 and interval.low < 11.0
    assert (app["lower_value"], app["upper_value"]) == (interval.low, interval.high)
    (first, _) = data["benchmarks"]
    assert first["repeatIterations"] == 2
    assert first["metrics"]["energyAppUws"] == {"minimum": 10e6, "maximum": 12e6, "median": 11e6, "runs": [10e6, 12e6]}


def test_a_benchmark_has_the_time_and_energy_of_the_runs_that_count() -> None:
    cut = polls(1, 8.0, status="cut", wall_ns=5_000_000_000)
    (benchmark,) = data_of(benchmark_data.write, messenger(polls(0, 6.0), cut))["benchmarks"]
    assert (benchmark["repeatIterations"], benchmark["totalRunTimeNs"]) == (1, 1_000_000_000)
    assert benchmark["metrics"]["energyAppUws"]["runs"] == [10e6]


def test_components_with_similar_names_are_metrics_of_their_own() -> None:
    made = lit()
    made = Profile(replace(made.ledger, components=("wi-fi", "wi_fi")), made.about, [])
    for benchmark in data_of(benchmark_data.write, made)["benchmarks"]:
        assert {"energyComponentWiFiUws", "energyComponentWiFi2Uws"} <= benchmark["metrics"].keys()


def test_sarif_has_failures_and_methods_at_their_lines() -> None:
    (run,) = data_of(sarif.write, failing())["runs"]
    texts = [result["message"]["text"] for result in run["results"]]
    places: dict[str, list[int | None]] = {}
    for result in run["results"]:
        physical = result["locations"][0].get("physicalLocation", {})
        places.setdefault(result["ruleId"], []).append(physical.get("region", {}).get("startLine"))
    assert places["failed-test"] == [7, None]
    assert places["most-self-energy"][0] == 34
    assert not any(re.search(r"\d J", text) for text in texts), "texts that are the same in each run have no figures"


def test_sarif_fits_its_schema() -> None:
    models = pytest.importorskip("sarif_pydantic", reason="make setup")
    for made in (failing(), hostile_profile()):
        models.Sarif.model_validate_json(text_of(sarif.write, made))


def test_no_energy_is_no_result() -> None:
    (run,) = data_of(sarif.write, messenger(polls(wall_ns=0, threads=(), base_j=0.0)))["runs"]
    assert run["results"] == []

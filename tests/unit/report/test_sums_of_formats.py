"""Each report format has the energy that the JSON report has.

A new format needs a row in `READERS`: a function that reads its energy, and the figure of the JSON report that it equals.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from profile_maker import one_run, profile
from support.html_pages import Page
from support.perfetto_reader import read_trace
from support.pprof_reader import read_samples
from support.reports import output_of

from navitas.report.perfetto.trace_packets import SEQUENCE
from navitas.report.registry import format_names

Report = dict[str, Any]
"""The JSON report."""


def total_j(report: Report) -> float:
    return float(report["totals"]["energy_j"])


def sum_of_tests_j(report: Report) -> float:
    return sum(test["energy_j"] for test in report["tests"])


def threads_j(report: Report) -> float:
    return sum(test["threads_j"] for test in report["tests"])


def app_medians_j(report: Report) -> float:
    return sum(group["app_median_j"] for group in report["repeats"])


def methods_j(report: Report) -> float:
    """Only methods whose interval is above 0 are results."""
    selves = [method["exclusive_j"] for method in report["methods"]]
    return sum(self_j["part_j"] for self_j in selves if self_j["part_interval_j"][0] > 0)


def of_table(data: bytes, read: Callable[[Any], Any]) -> float:
    rows = read(io.BytesIO(data)).to_pylist()
    return sum(row["exclusive_j"] or 0.0 for row in rows if not row["baseline"])


def of_parquet(data: bytes) -> float:
    parquet = pytest.importorskip("pyarrow.parquet", reason="make setup")
    return of_table(data, parquet.read_table)


def of_arrow(data: bytes) -> float:
    feather = pytest.importorskip("pyarrow.feather", reason="make setup")
    return of_table(data, feather.read_table)


def of_csv(text: str) -> float:
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return sum(float(row["exclusive_j"] or 0) for row in rows if row["baseline"] == "false")


def of_junit(text: str) -> float:
    root = ElementTree.fromstring(text.encode())
    return sum(float(item.attrib["value"]) for item in root.iterfind(".//testcase/properties/property[@name='energy_j']"))


def of_text(text: str) -> float:
    (row,) = re.findall(r"SortTest#sorts +([\d.]+) J ", text)
    return float(row)


def of_markdown(text: str) -> float:
    (row,) = re.findall(r"SortTest#sorts` \| ([\d.]+) J ", text)
    return float(row)


READERS: dict[str, tuple[Callable[[Any], float], Callable[[Report], float]]] = {
    "json": (lambda text: total_j(json.loads(text)), total_j),
    "parquet": (of_parquet, total_j),
    "arrow": (of_arrow, total_j),
    "csv": (of_csv, total_j),
    "openmetrics": (
        lambda text: sum(
            float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith("navitas_energy_joules{")
        ),
        total_j,
    ),
    "perfetto": (lambda data: sum(sample.weight for sample in read_trace(data, SEQUENCE).samples) / 1e6, total_j),
    "pprof": (lambda data: sum(sample.energy_uj for sample in read_samples(data)) / 1e6, sum_of_tests_j),
    "firefox": (
        lambda text: sum(sum(thread["samples"]["weight"]) for thread in json.loads(text)["threads"]) / 1e6,
        sum_of_tests_j,
    ),
    "junit": (of_junit, sum_of_tests_j),
    "speedscope": (
        lambda text: sum(made["endValue"] - made["startValue"] for made in json.loads(text)["profiles"]) / 1e6,
        sum_of_tests_j,
    ),
    "benchmarkData": (
        lambda text: sum(sum(test["metrics"]["energyTotalUws"]["runs"]) for test in json.loads(text)["benchmarks"]) / 1e6,
        sum_of_tests_j,
    ),
    "collapsed": (lambda text: sum(int(line.rpartition(" ")[2]) for line in text.splitlines()) / 1e6, threads_j),
    "bmf": (
        lambda text: sum(float(test["energy-joules"]["value"]) for test in json.loads(text).values()),
        lambda report: sum(group["median_j"] for group in report["repeats"]),
    ),
    "html": (lambda text: sum(Page(text).data["page-data"]["tests"]["app_uj"]) / 1e6, app_medians_j),
    "text": (of_text, app_medians_j),
    "markdown": (of_markdown, app_medians_j),
    "sarif": (
        lambda text: sum(result["properties"].get("self_energy_j", 0.0) for result in json.loads(text)["runs"][0]["results"]),
        methods_j,
    ),
}


def test_each_format_has_a_reader() -> None:
    assert set(READERS) == set(format_names())


@pytest.mark.parametrize("name", READERS)
def test_a_format_has_the_energy_of_the_json_report(name: str) -> None:
    made = profile(one_run(0, 10.0), one_run(1, 12.0))
    read, figure = READERS[name]
    assert read(output_of(name, made)) == pytest.approx(figure(json.loads(output_of("json", made))), rel=1e-6)

"""Reports of a recording with stack samples: samples instead of calls, and what was not sampled."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from profile_maker import METHODS, one_run, profile
from rich.console import Console
from support.pprof_reader import read_profile
from support.reports import closed, data_of, output_of

from navitas.energy.analyze.names import MethodNames
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.calls.paths import PROBES
from navitas.energy.attribute.ledger import Energy
from navitas.insight.explain.explain import Explainer
from navitas.insight.verdict.figures import Figures
from navitas.recording.parse.tables import Method, MethodTable
from navitas.report.explanation_text import explanation_text
from navitas.report.json_report import schema, write
from navitas.report.terminal.call_trees import energy_tree_table
from navitas.report.terminal.terminal_report import TerminalReport


def sampled() -> Profile:
    """The profile of the other tests, as if its calls were 5 samples in each call path, without probes."""
    made = profile(one_run(0, 10.0), one_run(1, 12.0))
    calls, energy = made.ledger.calls, made.ledger.energy
    none = np.zeros(len(calls), np.int64)
    taken = np.where(calls.self_ns > 0, 5, 0)
    draws = dict.fromkeys(("squares_j2", "self_turns_j2", "turns_j2"), taken * 0.04)
    own = replace(calls, calls=none, throws=none, cut=none, samples=taken, **draws)
    kept = energy.path != PROBES
    energy = Energy(*(getattr(energy, name)[kept] for name in Energy.__slots__))
    return Profile(replace(made.ledger, calls=own, energy=energy), made.about)


def test_the_json_report_has_samples_and_no_calls() -> None:
    report = data_of(write, sampled())
    jsonschema.validate(report, closed(schema()))
    threads = [thread for test in report["tests"] for thread in test["threads"]]
    methods = [method for thread in threads for method in thread["methods"]]
    nodes = [node for thread in threads for node in thread["nodes"]]
    assert methods and nodes and {row["calls"] for row in (*methods, *nodes)} == {0}
    assert sum(row["samples"] for row in methods) == sum(row["samples"] for row in nodes) == 5 * len(nodes)
    assert all(method["exclusive_error_j"] > 0 for method in methods)
    assert sum(method["samples"] for method in report["methods"]) == 5 * len(nodes)
    assert {count for method in report["methods"] for count in method["calls"]} == {0}


def test_other_recordings_have_no_field_of_samples() -> None:
    assert '"samples"' not in str(data_of(write, profile()))


def test_figures_of_methods_count_samples_and_have_none_per_call() -> None:
    figures = Figures(sampled())
    assert {round(method.calls) % 5 for method in figures.methods} == {0} and figures.methods[0].calls > 0
    assert {method.per_call_j for method in figures.methods} == {None}


@pytest.mark.parametrize(
    ("name", "outside"), [("collapsed", "(not sampled)"), ("speedscope", "(not sampled)"), ("markdown", "Samples")]
)
def test_texts_name_what_was_not_sampled(name: str, outside: str) -> None:
    text = output_of(name, sampled())
    assert outside in text and "(untraced)" not in text and "| Calls" not in text


def test_the_terminal_shows_samples() -> None:
    made, console = sampled(), Console(width=200, no_color=True, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        TerminalReport(tree="main").render(made, console)
        console.print(energy_tree_table(made, made.energy_trees()[0]))
    text = capture.get()
    assert "Samples" in text and "Not sampled" in text and "5 samples" in text and "not sampled" in text
    assert "Calls" not in text and "Per call" not in text and "outside of traced calls" not in text
    assert "Methods are those of stack samples." in text


def test_the_page_has_samples() -> None:
    text = output_of("html", sampled())
    assert '"samples": true' in text or '"samples":true' in text
    assert "Not sampled" in text and "Outside calls" not in text


def test_pprof_counts_samples() -> None:
    read = read_profile(output_of("pprof", sampled()))
    assert [read.string_table[kind.type] for kind in read.sample_type] == ["energy", "time", "samples"]
    assert sum(sample.value[2] for sample in read.sample) > 0


def test_explanations_count_samples() -> None:
    figures = Figures(sampled())
    explanation = Explainer(figures).method(figures.methods[0])
    text = explanation_text(explanation, "recording", 5000)
    assert "samples" in text and "calls" not in text.lower().replace("calls it", "")
    assert "stack samples in which the method itself ran" in text


def test_native_functions_are_named_by_their_library() -> None:
    rows = [*METHODS.methods]
    for module, name in (("/system/lib64/libc.so", "memcpy"), ("[kernel]", "futex_wait"), ("", "[unknown]")):
        rows.append(Method(len(rows), module, "", name, "", None, "dependency", False))
    names = MethodNames(MethodTable(tuple(rows), {}))
    assert [names.label(i) for i in range(3, 6)] == ["libc.so memcpy", "[kernel] futex_wait", "[unknown]"]
    assert names.short(3) == names.brief(3) == "libc.so memcpy"
    assert names.label(0) == "org.example.SortTest.sorts"

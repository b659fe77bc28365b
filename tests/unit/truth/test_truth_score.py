"""From a simulated run to a recording, its report, and the score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from peers import averaged_current
from score import PAGE, PLOT
from scoring import Errors, method_errors, score
from tables import Point, interval_table, missed_targets, spread_table, targets_table, workload_table, write_section
from truth.energy import integrate
from truth.events import anchors_of
from truth.ftrace import overwritten, trace_text
from truth.methods import save, truth_of
from truth.phone import PIXEL_6, mistaken
from truth.record import Record
from truth.recorder import write_recording
from truth.workloads import simulate

from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.store import open_recording


@pytest.fixture(scope="module")
def record() -> Record:
    return simulate("sleep-heavy", 1)


def test_a_recording_matches_the_simulation(record: Record, tmp_path: Path) -> None:
    write_recording(tmp_path / "r", record, PIXEL_6, interval_ns=20_000_000, level="thread-freq")
    parsed = parse_recording(open_recording(tmp_path / "r"))
    (run,) = parsed.runs
    assert not parsed.warnings and not parsed.losses
    probed = {thread.tid: thread for thread in run.threads if len(thread.calls)}
    for thread in record.threads:
        if thread.app and thread.events:
            assert len(probed[thread.tid].calls) == len(thread.events)
            assert probed[thread.tid].anchors.cpu_ns.tolist() == [cpu_ns for _, cpu_ns in anchors_of(thread)]
    (window,) = run.app.windows
    assert (window.end_ns - window.start_ns) == record.window[1] - record.window[0]
    assert run.cpu.stat is not None and len(run.cpu.stat.cpus) == 8
    assert [len(table.freq_khz) for table in run.cpu.time_in_state] == [11, 14, 17]
    assert "/time_in_state\ncpu0\n300000 " in (tmp_path / "r" / "runs" / "0" / "shell.txt").read_text()


def test_each_level_of_evidence_can_be_left_out(record: Record, tmp_path: Path) -> None:
    texts = {}
    for level in ("sched", "thread-freq", "thread-time", "device"):
        write_recording(tmp_path / level, record, PIXEL_6, interval_ns=100_000_000, level=level)
        folder = tmp_path / level / "runs" / "0"
        texts[level] = sorted(path.name for path in folder.iterdir()), "/task/" in (folder / "shell.txt").read_text()
    files = ["events-4000.nvch", "shell.txt"]
    assert texts == {
        "sched": ([*files, "trace.txt"], True),
        "thread-freq": (files, True),
        "thread-time": (files, False),
        "device": (files, False),
    }


def test_the_trace_has_every_switch(record: Record) -> None:
    text = trace_text(record, 10**12, 5 * 10**9, 10**18, {True: 4000, False: 1200})
    lines = text.splitlines()
    assert sum("sched_switch:" in line for line in lines) == len(record.switches)
    assert sum("cpu_frequency:" in line for line in lines) >= len(record.frequencies)
    switch = next(line for line in lines if "sched_switch:" in line and "next_comm=poll-0" in line)
    assert "==> next_comm=poll-0 next_pid=" in switch and "prev_state=" in switch


def test_where_a_trace_was_overwritten_the_next_level_is_used(record: Record, tmp_path: Path) -> None:
    truth = truth_of(record, integrate(record))
    write_recording(tmp_path / "r", record, PIXEL_6, interval_ns=20_000_000, level="sched")
    trace = tmp_path / "r" / "runs" / "0" / "trace.txt"
    whole = trace.read_text()
    trace.write_text(overwritten(whole, 0.5))
    kept, lines = trace.read_text().splitlines(), whole.splitlines()
    assert len(kept) < 0.9 * len(lines) and kept[-1] == lines[-1] and set(kept[3:]) <= set(lines)
    assert f"entries-in-buffer/entries-written: {len(kept) - 11}/{len(lines) - 11} " in kept[2]
    scored = score(tmp_path / "r", truth)
    assert scored.navitas.total is not None and scored.navitas.threads is not None
    assert 1e-3 < abs(scored.navitas.total) < 0.05 and scored.navitas.threads < 0.2


def test_a_small_workload_is_scored_end_to_end(record: Record, tmp_path: Path) -> None:
    energy = integrate(record)
    truth = truth_of(record, energy)
    save(truth, tmp_path / "truth.json")
    assert json.loads((tmp_path / "truth.json").read_text())["others_j"] == truth.others_j
    write_recording(tmp_path / "r", record, PIXEL_6, interval_ns=20_000_000, level="thread-time")
    scored = score(tmp_path / "r", truth)
    assert scored.level == "thread-time"
    assert scored.navitas.total is not None and abs(scored.navitas.total) < 0.05
    assert scored.navitas.own is not None and scored.navitas.own < 0.1
    assert scored.navitas.app is not None and abs(scored.navitas.app) < 0.1
    assert scored.navitas.threads is not None and 0 < scored.navitas.threads < 0.1
    write_recording(tmp_path / "traced", record, PIXEL_6, interval_ns=500_000_000, level="sched")
    traced = score(tmp_path / "traced", truth)
    assert traced.level == "sched"
    # Two integrations without common code agree, except for the trace's resolution of microseconds.
    assert traced.navitas.total == pytest.approx(0.0, abs=1e-3) and traced.navitas.own == pytest.approx(0.0, abs=1e-2)
    _, peer = method_errors(averaged_current(record, energy, 20_000_000), truth)
    assert scored.paper1.inclusive is not None and scored.navitas.inclusive is not None
    assert scored.navitas.inclusive < peer < scored.paper1.inclusive


def test_the_truth_has_no_error_against_itself(record: Record) -> None:
    truth = truth_of(record, integrate(record))
    assert method_errors(truth.methods, truth) == (0.0, 0.0)
    doubled = {name: replace(method, exclusive_j=2 * method.exclusive_j) for name, method in truth.methods.items()}
    assert method_errors(doubled, truth) == (pytest.approx(1.0), 0.0)


def test_a_wrong_profile_has_at_most_20_percent_error() -> None:
    wrong = mistaken(PIXEL_6, 1)
    for cluster, other in zip(PIXEL_6.clusters, wrong.clusters, strict=True):
        assert all(0.8 <= b / a <= 1.2 for a, b in zip(cluster.core_ma, other.core_ma, strict=True))
    assert wrong != PIXEL_6 and wrong == mistaken(PIXEL_6, 1)


def test_tables_and_targets() -> None:
    def point(rule: str, level: str, total: float, own: float, seed: int = 1) -> Point:
        return Point("allocation", "bursty", seed, 20, rule, level, Errors(total, -2 * total, own / 2, own, own))

    points = [point("sched", "sched", -0.004, 0.02), point("thread-freq", "thread-freq", 0.01, 0.06)]
    points.append(point("thread-time", "device", 0.04, 0.09))
    assert "| sched | 0.4 / 0.8 / 2.0 / 2.0 |" in interval_table(points, "allocation", [20])
    row = "| bursty | 0.4 / 0.8 / 1.0 / 2.0 | 1.0 / 2.0 / 3.0 / 6.0 | 4.0 / 8.0 / 4.5 / 9.0 | – / – / – / – |"
    assert row in workload_table(points)
    assert missed_targets(points) == [
        "thread-freq, methods: 6.0 % is beyond the target of 5 %",
        "thread-time, total: 4.0 % is beyond the target of 3 %",
    ]
    targets = targets_table(points).splitlines()
    assert targets[2:4] == ["| sched, total | 1 | 0.4 |", "| sched, methods | 3 | 2.0 |"]
    assert targets[5:7] == ["| thread-freq, methods | 5 | 6.0 **(missed)** |", "| thread-time, total | 3 | 4.0 **(missed)** |"]
    assert targets[-1] == "Reports at a lower level than recorded: bursty (thread-time counts as device)."
    more = [point("sched", "sched", total, 0.02, seed) for seed, total in enumerate((0.01, -0.02, 0.03, 0.04, 0.05))]
    assert "| allocation: sched | 3.0 (2.0 – 4.0) | 6.0 (4.0 – 8.0) | 1.0 (1.0 – 1.0) |" in spread_table(more, ["allocation"])


def test_a_score_replaces_its_section_of_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- tests/accuracy/score.py writes from here -->\nold\n<!-- to here -->\nb\n")
    write_section(page, "new")
    assert page.read_text().splitlines()[2:3] == ["new"] and page.read_text().endswith("b\n")


def test_a_page_without_the_section_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no markers\n")
    with pytest.raises(ValueError, match="there is no section"):
        write_section(page, "new")
    assert page.read_text() == "no markers\n"


def test_the_score_is_written_to_the_page_that_explains_it(tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    assert f"]({PLOT.name})" in text and PLOT.is_file()
    copy = tmp_path / PAGE.name
    copy.write_text(text, "utf-8")
    write_section(copy, "new")
    begin, _, rest = copy.read_text("utf-8").partition("<!-- tests/accuracy/score.py writes from here -->\nnew\n<!-- to here -->")
    assert rest and text.startswith(begin) and text.endswith(rest)

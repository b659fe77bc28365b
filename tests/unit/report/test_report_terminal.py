"""The content of the terminal report, and the escaping of names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from profile_maker import ABOUT, METHODS, TICKED, TREE, one_run, profile, with_nodes, without_probes
from rich.cells import cell_len
from support.ledger_maker import RUN, NodeSpec, ThreadSpec, made_ledger
from support.reports import printed

from navitas.base.errors import UsageError
from navitas.base.units import bar, battery_rate, battery_share, charge, duration, joules, percent, watts
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Notice
from navitas.energy.attribute.compensation import ProbesError
from navitas.recording.parse.tables import MethodTable
from navitas.report.page_request import EarlierRecording
from navitas.report.terminal.terminal_report import TerminalReport, unknown_thread


def shown(made: Profile, *, width: int = 140, **options: object) -> str:
    return printed(TerminalReport(**options), made, width)  # type: ignore[arg-type]


def test_the_example_stays_as_it_is(golden: Callable[[str, str], None]) -> None:
    lines = [line.rstrip() for line in shown(profile(one_run(0, 10.0), one_run(1, 12.0)), tree="main").splitlines()]
    golden("report/terminal.txt", "\n".join(lines) + "\n")


def test_names_are_shown_literally_without_control_sequences() -> None:
    text = shown(profile(), tree="main")
    assert "[bold red]x[/]" in text
    assert "no [rails] here" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "long" * 30 not in text.replace("\n", "").replace(" ", "")


def row_of(text: str, key: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(key)).split()


def test_repeats_show_medians_their_intervals_and_threads_that_add_up_to_them() -> None:
    text = shown(profile(one_run(0, 10.0), one_run(1, 30.0), one_run(2, 11.0)))
    # The app's threads use 2.5 J less than the test in total.
    assert row_of(text, "o.e.SortTest#sorts")[1:5] == ["8.50", "J", "1.57–71.6", "J"]  # by Student's t of three runs
    # Threads are means, scaled from 14.5 J to the median of 8.5 J.
    assert row_of(text, "main")[1:3] == ["7.91", "J"]
    assert "3 passed" in text and "26.5 J" not in text
    note = " ".join(text.split())
    assert "1 test, 3 runs each. Tests are medians of the runs that count; methods, threads and calls are parts of" in note
    assert row_of(text, "o.e.Sorter.sort")[1:5] == ["6.45", "J", "0.650–90.1", "J"], "of the same 8.5 J"


def test_the_interval_is_that_of_the_runs_that_count() -> None:
    text = shown(profile(one_run(0, 10.0), one_run(1, 12.0), one_run(2, 6.0, "cut")))
    assert row_of(text, "o.e.SortTest#sorts")[1:5] == ["8.50", "J", "1.52–38.0", "J"]
    assert "2 passed, 1 cut" in text and "cut: o.e.SortTest#sorts" in text
    single = shown(profile(one_run(0, 10.0), one_run(1, 6.0, "cut")))
    assert row_of(single, "o.e.SortTest#sorts")[3:5] == ["2.27", "J"], "that of the measurement alone"


def test_rails_are_those_of_a_run_as_the_total_is() -> None:
    run = replace(RUN, rails_j=9.0, rails_estimate_j=9.9)
    text = " ".join(shown(profile(one_run(0, 10.0), one_run(1, 12.0), run=run)).split())
    rails_j = [run.rails_j for run in profile(one_run(0, 10.0), one_run(1, 12.0), run=run).ledger.runs]
    assert f"measured {joules(sum(rails_j) / 2)}; the estimate" in text


def test_the_verdict_says_what_changed_since_an_earlier_recording() -> None:
    earlier = EarlierRecording("old", profile(one_run(0, 20.0)))
    text = " ".join(shown(profile(one_run(0, 10.0)), before=earlier).split())
    assert "• Since old, app energy fell by 10.0 ± " in text
    assert "since old" not in shown(profile(one_run(0, 10.0))).lower()


def test_paper_1_has_its_column_on_request() -> None:
    text = shown(profile(alternative="paper1"))
    assert "15.0 J" in text and "charges each running method for all cores at full load" in text
    assert "Paper 1" not in shown(profile())


def test_statistical_times_have_an_error() -> None:
    text = " ".join(shown(profile(run=TICKED)).split())
    assert "Times come from a tick of 1.10 ms, which adds to the error of methods (±)." in text
    assert "Self ± Share" in text


@pytest.mark.parametrize("width", range(40, 201, 7))
def test_figures_and_units_are_never_separated(width: int) -> None:
    probed = replace(one_run(0, 10.0, probes_j=3.0), compensation=(3.0, 1.0, 4.25, 1.5))
    for made in (profile(), profile(probed), profile(run=TICKED), profile(one_run(0, 10.0), one_run(1, 12.0))):
        lines = [line.strip() for line in shown(made, width=width).splitlines()]
        assert not [line for line in lines if line.split()[:1] in (["J"], ["mJ"], ["%"], ["W"], ["mAh"])]
        assert max(len(line) for line in lines if not line.startswith("Next: ")) <= width, "a command stays on one line"


def test_the_total_has_its_addends() -> None:
    total = " ".join(shown(profile()).partition("\nWhole recording: ")[2].partition("\nEvidence")[0].split())
    addends = "threads 7.50 J + other processes 1.00 J + base 3.25 J + unattributed 250 mJ"
    assert total == f"12.0 J (0.833 mAh, 0.0278 % of the battery) = {addends}. 2.00 J of it outside of tests."
    assert "\nWhole recording, per run: 12.0 J " in shown(profile(one_run(0, 10.0), one_run(1, 12.0)))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_footer_is_shorter_than_the_tables(width: int) -> None:
    """Also with many reasons and warnings: the JSON report has all."""
    made = profile()
    (known,) = made.ledger.evidence
    reasons = tuple(replace(known.reasons[0], text=f"reason {i}") for i in range(50))
    warnings = [*(Notice("lost", f"loss {i}", "") for i in range(50)), Notice("hot", "the phone was hot", "")]
    text = shown(Profile(replace(made.ledger, evidence=(replace(known, reasons=reasons),)), ABOUT, warnings), width=width)
    tables, _, footer = text.partition("\nWhole recording: ")
    assert len(footer.splitlines()) < len(tables.splitlines())
    assert "reason 1" in footer and "… 48 more reasons (--json)" in footer
    assert "the phone was hot" in footer, "the first of each code comes before the second of any"
    assert "… 46 more warnings (--json)" in footer


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_a_reader_needs_most_stays_at_every_width(width: int) -> None:
    """Tests keep their interval and whole statuses, methods their file and line."""
    made = profile(
        *(one_run(number, 10.0 + number) for number in range(3)),
        *(replace(one_run(number, 10.0, "cut")) for number in range(3, 6)),
        methods=MethodTable(tuple(replace(method, file="SortWithAName.java") for method in METHODS.methods), {}),
    )
    tests, _, rest = shown(made, width=width).partition("\nTests\n")[2].partition("\n\n")
    assert "±" in tests.splitlines()[0] and "±" in rest.partition("\nMethods\n")[2].splitlines()[0]
    assert "3 passed," in tests and "3 cut" in tests
    assert row_of(rest.partition("\nMethods\n")[2], "o.e.Sorter.sort ")[-1].endswith(".java:34")


def test_a_failed_test_names_the_line_that_failed() -> None:
    failure = "SortTest.java:12: AssertionError: not sorted [yet]\x1b[31m"
    text = shown(profile(replace(one_run(0, 10.0, "failed"), failure=failure)), width=200)
    assert "failed: o.e.SortTest#sorts: SortTest.java:12: AssertionError: not sorted [yet]\\u001b[31m\n" in text
    unknown = "failed: o.e.SortTest#sorts; the recording has no stack that names the line\n"
    assert unknown in shown(profile(one_run(0, 10.0, "failed"))) and unknown not in text


def test_evidence_is_explained_with_the_expected_error() -> None:
    made = profile()
    (known,) = made.ledger.evidence
    known = replace(known, basis="each thread's CPU time", expected_error=0.11)
    text = " ".join(shown(Profile(replace(made.ledger, evidence=(known,)), made.about)).split())
    words = (
        "Evidence: thread-time (each thread's CPU time). Expected error: half of all methods are off by less than"
        " 11 %, on simulated phones whose power profiles are wrong by up to 20 % (docs/accuracy.md)."
    )
    assert words in text


def test_mean_power_and_drain_rate_are_shown() -> None:
    # 10 J in one second. The battery holds 43.2 kJ.
    assert row_of(shown(profile()), "o.e.SortTest#sorts")[7:11] == ["10.0", "W", "83.3", "%/h"]


def test_methods_have_a_source() -> None:
    methods = MethodTable((replace(METHODS.methods[0], file="SortTest.java"), *METHODS.methods[1:]), {})
    assert row_of(shown(profile(methods=methods)), "o.e.SortTest.sorts")[-1] == "SortTest.java:12"


def test_methods_with_little_energy_are_summed_in_one_line() -> None:
    sorts, sort, swap = TREE
    text = shown(profile(with_nodes(one_run(0, 10.0), sorts, sort, replace(swap, exclusive_j=0.001))))
    assert "… 1 more method: 1.00 mJ, 0.0 %\n" in text and "o.e.Sorter.swap " not in text


def test_threads_without_calls_have_no_energy_outside_of_calls() -> None:
    test = one_run(0, 10.0)
    whole = replace(test, threads=tuple(replace(thread, nodes=()) for thread in test.threads))
    assert "Outside calls" not in shown(profile(whole)) and "Outside calls" in shown(profile())


def with_baseline(probes_j: float, unprobed_j: float, runs: int) -> str:
    tests = [one_run(number, 10.0, probes_j=probes_j) for number in range(runs)]  # threads: 7.5 J
    return " ".join(shown(profile(*tests, *(without_probes(test, unprobed_j) for test in tests))).split())


def test_tests_are_shown_without_their_probes() -> None:
    assert "without probes" not in shown(profile())
    probed = replace(one_run(0, 10.0, probes_j=3.0), compensation=(3.0, 1.0, 4.25, 1.5))
    text = shown(profile(probed))
    # Threads use 7.5 J, 3 J of them in probes.
    assert row_of(text, "o.e.SortTest#sorts")[1:7] == ["4.50", "J", "3.00", "J", "-250", "mJ"]
    note = " ".join(text.split()).partition("App energy is ")[2]
    assert note.startswith("what the app's threads used, without probes. The energy of probes is estimated from their sampled")
    assert "4.25 J without." in note
    basis = "1 test, one run each. ± is half of the 95 % interval of the measurement. One run does not show how runs differ"
    assert basis in " ".join(text.split())
    found = [replace(probed, repeat=i, compensation=(3.0, 1.0, j, 1.5)) for i, j in enumerate((3.0, 5.0, 4.0))]
    text = shown(profile(*found, *(without_probes(test, 4.0) for test in found)))
    assert "from their sampled cost and from runs without probes" in " ".join(text.split())


def test_the_baseline_table_uses_the_sampled_cost_only() -> None:
    """By their sampled cost, probes used 5 J. The baseline run corrects this to 3 J."""
    probed = replace(one_run(0, 10.0, probes_j=3.0), compensation=(5.0, 1.0, 4.25, 1.5))
    text = shown(profile(probed, without_probes(probed, 2.0)))
    rows = text.partition("By sampled cost")[2].splitlines()
    row = next(line for line in rows if "SortTest#sorts" in line)
    assert " ".join(row.split()[1:]) == "7.50 J 2.50 J 2.00 J +25.0 %"


def test_differences_that_probes_do_not_explain_have_a_note() -> None:
    assert "In 1 test, runs with and without probes differ by more than the energy of probes." in with_baseline(0.1, 2.0, 3)
    assert "ran once" not in with_baseline(0.1, 2.0, 1) and "Use --repeat." in with_baseline(0.1, 2.0, 1)
    assert "Single runs with and without probes also differ" in with_baseline(2.0, 5.3, 1)
    assert "--repeat" not in with_baseline(2.0, 5.3, 3)


def test_throws_and_cuts_are_marked() -> None:
    assert "o.e.Sorter.sort: 1 call ended by an exception, 1 call without an end" in shown(profile())


def test_top_limits_long_tables() -> None:
    text = shown(profile(), top=1)
    assert "2 more methods" in text
    assert "2 more threads" in text


@pytest.mark.parametrize("width", [80, 100, 120, 140])
def test_threads_keep_their_names_and_figures(width: int) -> None:
    text = shown(profile(replace(one_run(0, 10.0), method="decorates a function " * 10)), width=width)
    main = row_of(text.partition("\nThreads")[2], "main")
    assert main[:3] == ["main", "6.50", "J"] and "86.7 %" in " ".join(main) and "900 ms" in " ".join(main)


def test_threads_of_several_tests_are_grouped_by_name() -> None:
    tests = [replace(one_run(0, 10.0), method=f"t{number}") for number in range(3)]
    text = shown(profile(*tests)).partition("\nThreads")[2].partition("\nMethods")[0]
    assert [line.split()[1] for line in text.splitlines() if line.startswith("main")] == ["19.5"]


def test_a_narrow_table_of_tests_has_room_for_names() -> None:
    narrow, wide = (shown(profile(), width=width).partition("\nTests")[2].splitlines()[1] for width in (50, 120))
    assert narrow.split() == ["Test", "App", "energy", "±", "Status"]
    assert all(title in wide for title in ("Base and other", "Battery", "Wall time", "Status"))


def test_notes_are_below_the_methods() -> None:
    swap = replace(TREE[2], parent=0, exclusive_j=0.033, probes_j=0.71, throws=1_000, cut=10)
    made = profile(with_nodes(one_run(0, 10.0), TREE[0], swap), run=replace(RUN, probes_error=ProbesError(0.1, 0.0)))
    text = " ".join(shown(made, width=80).partition("\nMethods")[2].split())
    notes = "1,000 calls ended by an exception, 10 calls without an end"
    assert f"o.e.Sorter.swap: self and inclusive energy within the error of probes, {notes}" in text


def test_long_tables_of_tests_list_the_largest_and_the_failed() -> None:
    tests = [replace(one_run(number, 10.0 + number), repeat=0, method=f"t{number}") for number in range(60)]
    tests[7] = replace(tests[7], status="failed")
    text = shown(profile(*tests), top=5)
    listed = [
        line.split()[0].partition("#")[2]
        for line in text.partition("\nTests\n")[2].partition("App energy is")[0].splitlines()
        if "#t" in line
    ]
    assert listed == ["t59", "t58", "t57", "t56", "t55", "t7"]
    assert "54 more tests" in text
    assert "more tests" not in shown(profile(*tests), top=60)


def test_modules_are_shown_if_there_are_several() -> None:
    tests = (replace(one_run(0, 10.0), module=":a"), replace(one_run(1, 12.0), module=":b", repeat=0))
    methods = (*METHODS.methods[:2], replace(METHODS.methods[1], id=2, module=":b"))
    text = shown(profile(*tests, methods=MethodTable(methods, {})), tree="main")
    assert ":a o.e.SortTest#sorts" in text
    assert ":b o.e.SortTest#sorts" in text
    assert ": o.e.Sorter.sort" in text
    assert ":b o.e.Sorter.sort" in text
    assert ": o.e.SortTest.sorts" not in text


def test_threads_of_the_runtime_are_summed_by_role() -> None:
    assert row_of(shown(profile()), "garbage collector")[2:4] == ["100", "mJ"]
    test = one_run(0, 10.0)
    vm = ThreadSpec(9, "VM Thread", 0.10, role="vm", tid=109, cpu_ns=4)
    text = shown(profile(replace(test, threads=(*test.threads[:-1], vm))))
    assert "garbage collector" not in text and row_of(text, "VM operations and collections")[4:6] == ["100", "mJ"]


def test_the_error_for_an_unknown_thread_lists_threads() -> None:
    with pytest.raises(UsageError) as caught:
        shown(profile(), tree="mian")
    assert caught.value.remedy == "Threads with calls: main"
    many = [*(f"worker-{number}" for number in range(30)), "main"]
    remedy = unknown_thread("worker-x", many).remedy
    assert remedy.startswith("Threads with calls: worker-") and remedy.endswith(" and 11 more")
    assert unknown_thread("Nope", ["worker-a", "main"]).remedy == "Threads with calls: worker-a, main"


def test_a_tree_by_serial() -> None:
    assert "── 6.00 J" in shown(profile(), tree="1")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_figures_of_a_tree_are_whole_at_every_width(width: int) -> None:
    nodes = [NodeSpec(i - 1, i % 2, 1_234, 1.25 if i == 29 else 0.0, self_ns=950_000_000) for i in range(30)]
    text = shown(profile(with_nodes(one_run(0, 10.0), *nodes)), tree="main", width=width)
    tree = text.partition("\nmain  6.50 J")[2].partition("\nWhole recording")[0].splitlines()
    assert max(map(cell_len, tree)) <= width and sum("── 1.25 J" in line for line in tree) > 5
    assert not [line for line in tree if line[-1:].isdigit() or line.strip("│ ").split()[0] in ("J", "%", "s,", "calls,")]


def test_a_very_deep_tree_is_truncated() -> None:
    nodes = (NodeSpec(i - 1, i % 2, 1, 1.0 if i == 19_999 else 0.0) for i in range(20_000))
    assert "… 1 more" in shown(profile(with_nodes(one_run(0, 10.0), *nodes)), tree="main")


def test_direct_recursion_and_its_callees_are_one_line_each() -> None:
    # sort calls itself 500 levels deep, and calls swap at each level.
    nodes = [
        node
        for level in range(500)
        for node in (
            NodeSpec(2 * (level - 1) if level else -1, 1, 3, 0.007, self_ns=19_000),
            NodeSpec(2 * level, 2, 2, 0.003, self_ns=1_000),
        )
    ]
    deep = profile(with_nodes(one_run(0, 10.0), *nodes))
    lines = [line.split("── ")[1] for line in shown(deep, tree="main").splitlines() if "── " in line]
    assert lines[0] == "5.00 J  76.9 %  o.e.Sorter.sort  self 3.50 J, 1,500 calls, 10.0 ms, calls itself 500 deep"
    assert lines[1] == "1.50 J  23.1 %  o.e.Sorter.swap  self 1.50 J, 1,000 calls, 500 µs"
    assert len(lines) == 3


def with_probes_off(energy_j: float, error_j: float, tick_ns: float | None = None) -> Profile:
    """Return a profile in which one of two methods has this energy and error. The error is a tenth of its probes' energy."""
    outer = replace(TREE[0], exclusive_j=0.6 * energy_j)
    inner = replace(TREE[2], parent=0, exclusive_j=energy_j, probes_j=10 * error_j)
    return profile(
        with_nodes(one_run(0, 10.0), outer, inner), run=replace(RUN, probes_error=ProbesError(0.1, 0.0), tick_ns=tick_ns)
    )


def test_noticeable_errors_are_noted() -> None:
    text = shown(with_probes_off(0.033, 0.071))
    lines = [line.rstrip() for line in text.partition("Methods")[2].splitlines()]
    assert any(line.startswith("o.e.Sorter.swap ") and "33.0 mJ" in line for line in lines)
    assert any(line.endswith("o.e.Sorter.swap: self and inclusive energy within the error of probes") for line in lines)
    assert any(line.endswith("o.e.SortTest.sorts: inclusive energy within the error of probes") for line in lines)
    assert "within the error" not in shown(with_probes_off(0.8, 0.071)).partition("Methods")[2]
    assert "below zero" not in text


def test_negative_figures_are_explained() -> None:
    text = shown(with_probes_off(-0.033, 0.071))
    assert "-33.0 mJ" in text and "energy within the error of probes" in text
    assert "Figures can be slightly negative" in text
    # One call path of a method is negative, but the method is not.
    nodes = (NodeSpec(-1, 0, 1, 1.5), NodeSpec(0, 1, 1, -0.5), NodeSpec(-1, 1, 1, 2.0))
    below = profile(with_nodes(one_run(0, 10.0), *nodes))
    assert "Figures can be" in shown(below, tree="main") and "Figures can be" not in shown(below)


def test_in_tick_mode_only_figures_below_their_error_are_noted() -> None:
    # The ticks are so short that their error is negligible compared with that of the probes.
    assert "energy within the error of probes" in shown(with_probes_off(0.033, 0.071, tick_ns=1e3))
    assert "within the error" not in shown(with_probes_off(0.2, 0.071, tick_ns=1e3))


def test_only_the_first_warnings_are_shown() -> None:
    made = profile()
    text = shown(Profile(made.ledger, made.about, made.warnings * 1234))
    assert text.count("chunks] lost") == 5 and "1,229 more warnings" in text


def test_a_profile_without_tests_is_shown() -> None:
    made = profile()
    assert "Whole recording" in shown(Profile(made_ledger([], METHODS), made.about, made.warnings))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (joules(12.345), "12.3 J"),
        (joules(0.99996), "1.00 J"),
        (joules(0.0045678), "4.57 mJ"),
        (joules(-0.0045678), "-4.57 mJ"),
        (joules(3.2e-7), "320 nJ"),
        (joules(4e-13), "0 J"),
        (watts(0.0456), "45.6 mW"),
        (battery_rate(1.2, 4.0, 3000.0), "10.0 %/h"),
        (battery_rate(1.2, 4.0, None), ""),
        (joules(0), "0 J"),
        (duration(1_500_000), "1.50 ms"),
        (charge(14.4, 4.0), "1.00 mAh"),
        (battery_share(14.4, 4.0, 1000.0), "0.100 %"),
        (battery_share(14.4, 4.0, None), ""),
        (percent(1 / 3), "33.3 %"),
        (percent(None), "–"),
    ],
)
def test_figures_have_units(text: str, wanted: str) -> None:
    assert text == wanted


@pytest.mark.parametrize(("share", "wanted"), [(None, ""), (-0.1, ""), (0.001, ""), (0.25, "██"), (0.3, "██▍"), (2.0, "█" * 8)])
def test_bars_show_shares(share: float | None, wanted: str) -> None:
    assert bar(share) == wanted


def test_the_next_command_is_whole_on_a_narrow_terminal() -> None:
    """It can be copied, whatever the width."""
    folder = f"/home/me/{'recordings/' * 12}demo"
    runs = profile(*(one_run(number, 10.0 + number / 10) for number in range(5)))
    assert (
        next(line for line in shown(runs, width=60, recording=folder).splitlines() if line.startswith("Next: ")).count(folder)
        == 1
    )

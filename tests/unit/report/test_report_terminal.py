"""What the terminal shows, and that names cannot steer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from analysis_maker import analysis, one_run, with_paper1, with_ticks
from rich.console import Console

from navitas.attribute.result import Analysis, Node
from navitas.errors import UsageError
from navitas.parse.tables import MethodTable
from navitas.report.names import printable
from navitas.report.terminal import TerminalReport, unknown_thread
from navitas.report.units import battery_share, charge, duration, joules, percent


def shown(made: Analysis, **options: object) -> str:
    console = Console(width=140, no_color=True, force_terminal=False, legacy_windows=False)
    with console.capture() as capture:
        TerminalReport(**options).render(made, console)  # type: ignore[arg-type]
    return capture.get()


def test_the_example_stays_as_it_is(golden: Callable[[str, str], None]) -> None:
    lines = [line.rstrip() for line in shown(analysis(one_run(0, 10.0), one_run(1, 12.0)), tree="main").splitlines()]
    golden("report/terminal.txt", "\n".join(lines) + "\n")


def test_names_are_shown_as_they_are_and_cannot_steer_the_terminal() -> None:
    text = shown(analysis(), tree="main")
    assert "[bold red]x[/]" in text
    assert "no [rails] here" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "long" * 30 not in text.replace("\n", "").replace(" ", "")


def test_repeats_show_every_run_and_the_median_and_the_typical_runs_threads() -> None:
    text = shown(analysis(one_run(0, 10.0), one_run(1, 30.0), one_run(2, 11.0)))
    assert "median" in text
    assert all(energy in text for energy in ("10.0 J", "30.0 J", "11.0 J"))
    assert "7.50 J" in text
    assert "26.5 J" not in text


def test_paper_1_has_its_column_when_it_was_asked_for() -> None:
    text = shown(with_paper1(analysis()))
    assert "Notes" in text.partition("Paper 1")[2] and "charges all cores at full load, whether they ran or not" in text
    assert "Paper 1" not in shown(analysis())


def test_statistical_times_come_with_their_error() -> None:
    assert "±" not in shown(analysis())
    text = " ".join(shown(with_ticks(analysis())).split())
    assert "times statistical: ticks of 1.10 ms, ± is a standard error" in text
    assert "Exclusive ± Share" in text


def test_no_figure_parts_from_its_unit() -> None:
    for width in range(40, 120, 7):
        console = Console(width=width, no_color=True, force_terminal=False, legacy_windows=False)
        with console.capture() as capture:
            TerminalReport().render(analysis(), console)
        total = [line.strip() for line in capture.get().partition("Total ")[2].partition("evidence")[0].splitlines()]
        assert not any(line[-1].isdigit() for line in total)
        assert "unattributed 250 mJ; outside of tests 2.00 J" in " ".join(total)
        assert max(map(len, total)) <= width


def test_threads_without_calls_have_no_untraced_part() -> None:
    test = one_run(0, 10.0)
    whole = replace(test, threads=tuple(replace(thread, methods=(), nodes=()) for thread in test.threads))
    assert "Untraced" not in shown(analysis(whole)) and "Untraced" in shown(analysis())


def beside_baseline(probes_j: float, unprobed_j: float, runs: int) -> str:
    tests = [one_run(number, 10.0) for number in range(runs)]  # threads: 7.4 J
    made = [replace(test, threads=(replace(test.threads[0], probes_j=probes_j), *test.threads[1:])) for test in tests]
    return " ".join(shown(analysis(*(replace(test, unprobed_j=9.0, unprobed_threads_j=unprobed_j) for test in made))).split())


def test_tests_are_shown_without_their_probes() -> None:
    assert "Compensated" not in shown(analysis())
    test = one_run(0, 10.0)
    threads = (replace(test.threads[0], probes_j=5.0), *test.threads[1:])
    probed = replace(test, threads=threads, probes_error_j=1.0, whole_compensated_j=4.25, compensated_error_j=1.5)
    text = shown(analysis(probed))
    row = next(line for line in text.splitlines() if "SortTest#sorts" in line)
    assert row.split()[1:5] == ["4.25", "J", "1.50", "J"] and "10.0 J" not in row
    note = " ".join(text.split()).partition("Compensated: ")[2]
    assert note.startswith("an estimate of the energy without probes, by their sampled cost; ± is its standard error.")
    assert "With probes 10.0 J, without 4.25 J." in note
    beside = [replace(probed, repeat=i, whole_compensated_j=j, unprobed_j=4.0) for i, j in enumerate((3.0, 5.0, 4.0))]
    text = shown(analysis(*beside))
    assert next(line for line in text.splitlines() if "median" in line).split()[1:3] == ["4.00", "J"]
    assert "by their sampled cost and the runs without probes" in " ".join(text.split())


def test_runs_that_differ_by_themselves_are_no_verdict_on_probes() -> None:
    assert "In 1 test the runs differ by more than all that probes used, so it is not the probes" in beside_baseline(0.1, 2.0, 3)
    assert "ran once" not in beside_baseline(0.1, 2.0, 1) and "See --repeat." in beside_baseline(0.1, 2.0, 1)
    assert "Of a test that ran once" in beside_baseline(2.0, 5.3, 1)
    assert "--repeat" not in beside_baseline(2.0, 5.3, 3)


def test_throws_and_cuts_are_marked() -> None:
    assert "1 thrown, 1 cut" in shown(analysis())


def test_long_tables_end_at_top() -> None:
    text = shown(analysis(), top=1)
    assert "2 more methods" in text
    assert "2 more threads" in text


def test_of_very_many_tests_those_that_used_most_and_those_that_failed_are_listed() -> None:
    tests = [replace(one_run(number, 10.0 + number), repeat=0, method=f"t{number}") for number in range(60)]
    tests[7] = replace(tests[7], status="failed")
    text = shown(analysis(*tests), top=5)
    listed = [line.split()[0].partition("#")[2] for line in text.partition("Threads")[0].splitlines() if "#t" in line]
    assert listed == ["t59", "t58", "t57", "t56", "t55", "t7"]
    assert "54 more tests" in text
    assert "more tests" not in shown(analysis(*tests), top=60)


def test_modules_are_named_where_classes_of_one_name_meet() -> None:
    made = analysis(replace(one_run(0, 10.0), module=":a"), replace(one_run(1, 12.0), module=":b", repeat=0))
    methods = [*made.methods.methods[:2], replace(made.methods.methods[1], id=2, module=":b")]
    text = shown(replace(made, methods=MethodTable(tuple(methods), {})), tree="main")
    assert ":a o.e.SortTest#sorts" in text
    assert ":b o.e.SortTest#sorts" in text
    assert ": o.e.Sorter.sort" in text
    assert ":b o.e.Sorter.sort" in text
    assert ": o.e.SortTest.sorts" not in text


def test_threads_of_the_runtime_are_summed_by_role() -> None:
    assert "garbage collector" in shown(analysis())


def test_a_tree_of_an_unknown_thread_offers_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        shown(analysis(), tree="mian")
    assert caught.value.remedy == "Threads with calls: main"
    many = [*(f"worker-{number}" for number in range(30)), "main"]
    remedy = unknown_thread("worker-x", many).remedy
    assert remedy.startswith("Threads with calls: worker-") and remedy.endswith(" and 11 more")
    assert unknown_thread("Nope", ["worker-a", "main"]).remedy == "Threads with calls: worker-a, main"


def test_a_tree_by_serial() -> None:
    assert "── 6.00 J" in shown(analysis(), tree="1")


def test_a_very_deep_tree_is_cut() -> None:
    test = one_run(0, 10.0)
    nodes = tuple(Node(i, i - 1, i % 2, 1, 1.0, 0.0, 1) for i in range(20_000))
    deep = replace(test, threads=(replace(test.threads[0], nodes=nodes),))
    assert "… 1 more" in shown(analysis(deep), tree="main")


def test_direct_recursion_is_one_line_and_so_is_what_all_its_levels_call() -> None:
    test = one_run(0, 10.0)
    # sort calls itself 500 deep, and swap at each level.
    nodes = [
        node
        for level in range(500)
        for node in (
            Node(2 * level, 2 * (level - 1) if level else -1, 1, 3, 5.0 - level / 100, 0.007, 10_000_000),
            Node(2 * level + 1, 2 * level, 2, 2, 0.003, 0.003, 1_000),
        )
    ]
    deep = replace(test, threads=(replace(test.threads[0], nodes=tuple(nodes)),))
    lines = [line.split("── ")[1] for line in shown(analysis(deep), tree="main").splitlines() if "── " in line]
    assert lines[0] == "5.00 J  76.9 %  o.e.Sorter.sort  self 3.50 J, 1,500 calls, 10.0 ms, calls itself 500 deep"
    assert lines[1] == "1.50 J  23.1 %  o.e.Sorter.swap  self 1.50 J, 1,000 calls, 500 µs"
    assert len(lines) == 3


def with_probes_off(energy_j: float, error_j: float) -> Analysis:
    """One method of two has that energy beside that error."""
    test = one_run(0, 10.0)
    thread = test.threads[0]
    outer = replace(thread.methods[0], inclusive_j=1.1 * energy_j, inclusive_error_j=error_j, exclusive_error_j=0.001)
    inner = replace(thread.methods[2], exclusive_j=energy_j, inclusive_j=energy_j)
    inner = replace(inner, exclusive_error_j=error_j, inclusive_error_j=error_j)
    return analysis(replace(test, threads=(replace(thread, methods=(outer, inner)),)))


def test_an_error_that_is_a_noticeable_part_of_a_figure_is_noted() -> None:
    text = shown(with_probes_off(0.033, 0.071))
    lines = [line.rstrip() for line in text.partition("Methods")[2].splitlines()]
    (swap,) = (line for line in lines if line.startswith("o.e.Sorter.swap"))
    (sorts,) = (line for line in lines if line.startswith("o.e.SortTest.sorts"))
    assert "33.0 mJ" in swap and swap.endswith("  ± 71.0 mJ (within its error)")
    assert sorts.endswith("  inclusive ± 71.0 mJ (within its error)")
    assert "±" not in shown(with_probes_off(0.8, 0.071))
    assert "below zero" not in text


def test_figures_below_zero_are_explained() -> None:
    text = shown(with_probes_off(-0.033, 0.071))
    assert "-33.0 mJ" in text and "± 71.0 mJ (within its error)" in text
    assert "Figures may lie a little below zero" in text
    assert "± 71.0 mJ (nothing beside its probes)" in shown(with_probes_off(-0.6, 0.071))
    test = one_run(0, 10.0)
    nodes = (Node(0, -1, 0, 1, 1.0, 1.5, 9), Node(1, 0, 1, 1, -0.5, -0.5, 9))
    below = analysis(replace(test, threads=(replace(test.threads[0], nodes=nodes),)))
    assert "Figures may lie" in shown(below, tree="main") and "Figures may lie" not in shown(below)


def test_in_tick_mode_only_what_lies_within_its_error_is_noted() -> None:
    made = with_probes_off(0.033, 0.071)
    ticked = shown(replace(made, evidence=replace(made.evidence, tick_ns=1.1e6)))
    assert "± 71.0 mJ (within its error)" in ticked
    assert "(within" not in shown(replace(with_probes_off(0.2, 0.071), evidence=replace(made.evidence, tick_ns=1.1e6)))


def test_of_very_many_warnings_the_first_are_shown() -> None:
    made = analysis()
    text = shown(replace(made, warnings=made.warnings * 1234))
    assert text.count("chunks] lost") == 100 and "1,134 more warnings" in text


def test_an_analysis_without_tests_is_shown() -> None:
    assert "Total" in shown(replace(analysis(), tests=()))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (joules(12.345), "12.3 J"),
        (joules(0.99996), "1.00 J"),
        (joules(0.0045678), "4.57 mJ"),
        (joules(-0.0045678), "-4.57 mJ"),
        (joules(3.2e-7), "0.320 µJ"),
        (joules(0), "0 J"),
        (duration(1_500_000), "1.50 ms"),
        (charge(14.4, 4.0), "1.00 mAh"),
        (battery_share(14.4, 4.0, 1000.0), "0.100 %"),
        (battery_share(14.4, 4.0, None), ""),
        (percent(1, 3), "33.3 %"),
        (percent(1, 0), "–"),
    ],
)
def test_figures_have_units(text: str, wanted: str) -> None:
    assert text == wanted


def test_printable_text_is_short_and_plain() -> None:
    assert printable("a\tb\x00c\u2028d\u200be") == "a\\u0009b\\u0000c\\u2028d\\u200be"
    assert len(printable("x" * 1000, 50)) == 50

"""Progress messages on terminals and in logs."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console
from support.capture import Capture

from navitas.cli.habits.messages import Preferences, Verbosity, prefer
from navitas.cli.habits.progress import ConsoleProgress, short_label, timed
from navitas.cli.habits.standard_output import output_console


def lines(total: int) -> list[str]:
    out = io.StringIO()
    with ConsoleProgress(Console(file=out, width=200)) as progress:
        for number in range(1, total + 1):
            progress.test(number, total, f"p.ATest#t{number}")
    return out.getvalue().splitlines()


def test_few_tests_are_all_printed() -> None:
    assert lines(3) == ["  1/3 ATest#t1", "  2/3 ATest#t2", "  3/3 ATest#t3"]


def test_names_are_not_shown_as_emoji(capsys: Capture) -> None:
    output_console().print(":bug:")
    ConsoleProgress().stage(":bug:")
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (":bug:\n", ":bug:\n")


def test_about_a_hundred_of_thousands_of_tests_are_printed() -> None:
    said = lines(2050)
    assert 90 <= len(said) <= 110
    assert said[0] == "  1/2050 ATest#t1"
    assert said[-1] == "  2050/2050 ATest#t2050"


def test_every_test_is_printed_without_a_total() -> None:
    out = io.StringIO()
    progress = ConsoleProgress(Console(file=out, width=200))
    progress.test(0, 0, "p.ATest#t")
    progress.test(0, 0, "p.ATest#u")
    assert len(out.getvalue().splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("org.x.ATest#t", "ATest#t"),
        ("ATest#t", "ATest#t"),
        ("org.x.ATest$Inner#t", "ATest$Inner#t"),
        ('org.x.ATest#adds[{"a": 1.0}]', 'ATest#adds[{"a": 1.0}]'),
        ("org.x.ATest#of a.b.C#d", "ATest#of a.b.C#d"),
        ("Adding 1.5 and 2.5#null", "Adding 1.5 and 2.5#null"),
        ("org.x.ATest#one\ttwo\x1b[2J", "ATest#one   two\\u001b[2J"),
    ],
)
def test_a_label_omits_only_the_package(name: str, label: str) -> None:
    assert short_label(name, 100) == label


def test_a_long_label_is_truncated_at_the_end() -> None:
    assert short_label("org.x.ATest#adds[" + "1.25, " * 40 + "]", 30) == "ATest#adds[1.25, 1.25, 1.25,…"
    assert cell_len(short_label("org.x.ATest#" + "漢" * 90, 30)) <= 30


def test_a_long_label_is_one_line() -> None:
    out = io.StringIO()
    with ConsoleProgress(Console(file=out, width=40)) as progress:
        progress.test(789, 789, "org.x.ATest#adds[" + "{a=1.0}, " * 40 + "]")
    assert out.getvalue().startswith("  789/789 ATest#adds[{a=1.0}, ")
    assert out.getvalue().count("\n") == 1


@pytest.mark.parametrize("width", [40, 80, 300])
def test_the_live_line_never_wraps(width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None)
    with ConsoleProgress(console) as progress:
        progress.stage("running tests of :app")
        for show in (lambda text: progress.test(1, 789, f"org.x.ATest#adds[{text}]"), progress.detail):
            show("{a=1.0}, " * 40)
            assert progress._status is not None
            shown = console.render_lines(progress._status.renderable, pad=False)
            assert len(shown) == 1


def test_a_warning_is_printed_with_its_remedy_also_if_quiet(capsys: Capture) -> None:
    prefer(Preferences(Verbosity.QUIET))
    try:
        with ConsoleProgress() as progress:
            progress.stage("saving")
            progress.warning("an app cannot be saved", "install it again")
            progress.warning("an app was restored", "")
    finally:
        prefer(Preferences())
    lines = ["warning: an app cannot be saved", "         install it again", "warning: an app was restored"]
    assert capsys.readouterr().err.splitlines() == lines


def test_verbose_shows_the_time_of_stages_and_of_their_details(capsys: Capture) -> None:
    prefer(Preferences(Verbosity.VERBOSE))
    try:
        with ConsoleProgress() as progress:
            progress.stage("building")
            progress.detail("> Task :classes")
            progress.stage("installing")
        with timed("writing the report"):
            pass
    finally:
        prefer(Preferences())
    said = re.sub(r"\d+\.\d\d s", "0.00 s", capsys.readouterr().err).splitlines()
    stages = ["building", "  0.00 s  > Task :classes", "building: 0.00 s", "installing", "installing: 0.00 s"]
    assert said == [*stages, "writing the report: 0.00 s"]

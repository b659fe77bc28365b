"""Progress as plain lines, for logs."""

from __future__ import annotations

import io

from rich.console import Console

from navitas.cli.progress import ConsoleProgress


def lines(total: int) -> list[str]:
    out = io.StringIO()
    with ConsoleProgress(Console(file=out, width=200)) as progress:
        for number in range(1, total + 1):
            progress.test(number, total, f"p.ATest#t{number}")
    return out.getvalue().splitlines()


def test_few_tests_are_all_named() -> None:
    assert lines(3) == ["  1/3 ATest#t1", "  2/3 ATest#t2", "  3/3 ATest#t3"]


def test_of_thousands_of_tests_a_hundred_or_so_are_named() -> None:
    said = lines(2050)
    assert 90 <= len(said) <= 110
    assert said[0] == "  1/2050 ATest#t1"
    assert said[-1] == "  2050/2050 ATest#t2050"


def test_a_device_that_tells_no_total_names_every_test() -> None:
    out = io.StringIO()
    progress = ConsoleProgress(Console(file=out, width=200))
    progress.test(0, 0, "p.ATest#t")
    progress.test(0, 0, "p.ATest#u")
    assert len(out.getvalue().splitlines()) == 2

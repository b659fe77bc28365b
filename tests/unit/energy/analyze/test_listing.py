"""Which rows a table lists, and what it says of the others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from navitas.report.terminal.fitted_table import Listing, largest


def listed(energies_j: list[float], top: int) -> Listing[float]:
    return largest(sorted(energies_j, reverse=True), top, lambda energy_j: energy_j)


def test_rows_are_compared_with_each_other_not_with_what_else_was_measured() -> None:
    found = listed([1e-6, 5e-7, 1e-10], 20)
    assert (found.rows, found.others, found.hint) == ((1e-6, 5e-7), 1, "")


def test_the_option_is_named_only_if_it_lists_more() -> None:
    assert listed([3.0, 2.0, 1.0], 2).hint == " (--top)"
    assert listed([3.0, 2.0, 1e-6], 2).hint == ""


@given(st.lists(st.floats(-1.0, 1e6), min_size=1, max_size=50), st.integers(0, 60))
def test_rows_and_others_are_all(energies_j: list[float], top: int) -> None:
    found = listed(energies_j, top)
    assert 1 <= len(found.rows) <= max(top, 1)
    assert len(found.rows) + found.others == len(energies_j)
    assert abs(sum(found.rows) + found.others_j - sum(energies_j)) < 1e-6 * max(1.0, max(map(abs, energies_j)) * len(energies_j))

"""Figures read the same on the terminal and on pages."""

from __future__ import annotations

from navitas.base.units import counted
from navitas.fleet.figures import number, probability, with_interval


def test_numbers_have_separators_and_unknown_ones_are_a_dash() -> None:
    assert (number(1234.56), number(0.4, 0), number(None)) == ("1,234.6", "0", "–")


def test_one_thing_is_singular() -> None:
    assert [counted(count, "client") for count in (0, 1, 2000)] == ["0 clients", "1 client", "2,000 clients"]


def test_an_interval_has_a_sign_and_both_bounds() -> None:
    assert with_interval(44.2, 39, 50.4) == "+44 (39 – 50)"
    assert with_interval(-0.25, None, 1, 2) == "-0.25 (? – 1.00)"
    assert with_interval(None, 1, 2) == "–"


def test_a_probability_has_one_form() -> None:
    values = (3e-9, 0.0001, 0.00234, 0.05, 0.5, 1.0, None)
    assert [probability(value) for value in values] == ["<0.0001", "0.0001", "0.0023", "0.05", "0.5", "1", "–"]

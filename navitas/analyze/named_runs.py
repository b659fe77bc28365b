"""Names of tests in warnings about their runs."""

from __future__ import annotations

from collections.abc import Sequence

from navitas.analyze.records import TestEnergy

MORE = "See docs/unsteady-tests.md."
_MAX_NAMED = 3


def name_of_test(test: TestEnergy) -> str:
    """Return a test's class and method."""
    return f"{test.class_name}#{test.method}"


def listed(named: Sequence[str]) -> str:
    """Return the first of these, and the number of the others."""
    more = f"; and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
    return f"{'; '.join(named[:_MAX_NAMED])}{more}"

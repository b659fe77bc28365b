"""Which tests to run: patterns like `SortTest#*` matched against the names that the device lists."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from navitas.errors import UsageError

_NEAREST = 5
# A shell command line has limits (128 KiB for one argument on Linux); beyond this, whole classes are named.
_MAX_ARGUMENT = 60_000


@dataclass(frozen=True, slots=True, order=True)
class TestName:
    """A test: fully qualified class and method (`method[0]` where it has parameters)."""

    __test__ = False

    class_name: str
    method: str

    def __str__(self) -> str:
        return f"{self.class_name}#{self.method}"


def matches(pattern: str, test: TestName) -> bool:
    """Whether `CLASS[#METHOD]` (with `*`, `?`, `[…]`) names the test; CLASS is matched whole or as a simple name."""
    class_pattern, _, method_pattern = pattern.partition("#")
    simple = test.class_name.rpartition(".")[2]
    method = test.method.partition("[")[0]
    return (fnmatchcase(test.class_name, class_pattern) or fnmatchcase(simple, class_pattern)) and (
        fnmatchcase(test.method, method_pattern or "*") or method_pattern in (test.method, method)
    )


def select(tests: Sequence[TestName], patterns: Sequence[str]) -> list[TestName]:
    """The tests that any pattern names, in the device's order; all of them without patterns.

    Raises `UsageError` for a pattern that names none, with the nearest names.
    """
    if not patterns:
        return list(tests)
    for pattern in patterns:
        if not any(matches(pattern, test) for test in tests):
            raise no_match(pattern, tests)
    return [test for test in tests if any(matches(pattern, test) for pattern in patterns)]


def no_match(pattern: str, tests: Sequence[TestName]) -> UsageError:
    """The error for a pattern without a match; its remedy offers the nearest names."""
    short = {f"{test.class_name.rpartition('.')[2]}#{test.method}": test for test in tests}
    near = difflib.get_close_matches(pattern.replace("*", ""), short, n=_NEAREST, cutoff=0.3)
    offer = ", ".join(near or list(short)[:_NEAREST])
    remedy = f"nearest of {len(tests)} tests: {offer}" if tests else "this project has no JUnit 4 test that could be run"
    return UsageError(f"no test matches '{pattern}'", remedy)


def class_argument(selected: Sequence[TestName], everything: Sequence[TestName]) -> str:
    """The value for `am instrument -e class`: classes where all their tests are selected, else `class#method`; '' for all."""
    chosen = set(selected)
    if chosen >= set(everything):
        return ""
    whole: dict[str, bool] = {}
    for test in everything:
        whole[test.class_name] = whole.get(test.class_name, True) and test in chosen
    parts = dict.fromkeys(test.class_name if whole[test.class_name] else str(test) for test in selected)
    argument = ",".join(parts)
    return argument if len(argument) <= _MAX_ARGUMENT else ",".join(dict.fromkeys(test.class_name for test in selected))

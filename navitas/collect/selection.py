"""Which tests to run: patterns like `SortTest#*` matched against the names that the device lists."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from navitas.errors import UsageError

_NEAREST = 5
# A shell command line has limits (128 KiB for one argument on Linux).
_MAX_ARGUMENT = 60_000


@dataclass(frozen=True, slots=True, order=True)
class TestName:
    """A test: fully qualified class and method (`method[0]` where it has parameters)."""

    __test__ = False

    class_name: str
    method: str

    def __str__(self) -> str:
        return f"{self.class_name}#{self.method}"


def check_pattern(pattern: str) -> None:
    """Raise `UsageError` for what can never name a test."""
    class_pattern, hash_sign, method_pattern = pattern.partition("#")
    if (
        not class_pattern
        or not class_pattern.isprintable()
        or set("/ ") & set(class_pattern)
        or (hash_sign and not method_pattern)
    ):
        raise UsageError(f"'{pattern}' is no test pattern", "give CLASS or CLASS#METHOD with * and ?, such as 'SortTest#*'")


def matches(pattern: str, test: TestName) -> bool:
    """Whether `CLASS[#METHOD]` (with `*`, `?`, `[…]`) names the test; CLASS is matched whole or as a simple name."""
    method_pattern = pattern.partition("#")[2]
    method = test.method.partition("[")[0]
    return names_class(pattern, test.class_name) and (
        fnmatchcase(test.method, method_pattern or "*") or method_pattern in (test.method, method)
    )


def names_class(pattern: str, class_name: str) -> bool:
    """Whether the class part of a pattern names the class, whole or by its simple name."""
    class_pattern = pattern.partition("#")[0]
    return fnmatchcase(class_name, class_pattern) or fnmatchcase(class_name.rpartition(".")[2], class_pattern)


def none_found() -> UsageError:
    """The error for bundles without any test."""
    return UsageError("no JUnit 4 test was found that could be run", "JUnit 4 tests are needed: classes with @Test methods")


def no_match(pattern: str, tests: Sequence[TestName]) -> UsageError:
    """The error for a pattern without a match; its remedy offers the nearest names."""
    short = {f"{test.class_name.rpartition('.')[2]}#{test.method}": test for test in tests}
    near = difflib.get_close_matches(pattern.replace("*", ""), short, n=_NEAREST, cutoff=0.3)
    offer = ", ".join(near or list(short)[:_NEAREST])
    return UsageError(f"no test matches '{pattern}'", f"nearest of {len(tests)} tests: {offer}")


def class_arguments(selected: Sequence[TestName], everything: Sequence[TestName], *, by_default: Sequence[TestName]) -> list[str]:
    """Values for `am instrument -e class`, one a run: classes where all their tests are selected, else `class#method`.

    `['']` runs what runs by default. A list that is too long for a command line is divided into several runs.
    """
    chosen = set(selected)
    if chosen == set(by_default):
        return [""]
    whole: dict[str, bool] = {}
    for test in everything:
        whole[test.class_name] = whole.get(test.class_name, True) and test in chosen
    arguments: list[str] = []
    for part in dict.fromkeys(test.class_name if whole[test.class_name] else _argument(test) for test in selected):
        if arguments and len(arguments[-1]) + 1 + len(part) <= _MAX_ARGUMENT:
            arguments[-1] += f",{part}"
        else:
            arguments.append(part)
    return arguments


def _argument(test: TestName) -> str:
    """A test as an argument; commas divide arguments, so one in a parameter's name leaves the method with all its parameters."""
    return str(test) if "," not in test.method else f"{test.class_name}#{test.method.partition('[')[0]}"

"""Recognise tests that failed because they look at class files and see probes there, such as those of ArchUnit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile

from navitas.collect.selection import TestName

_PROBE = re.compile(r"^(?!\s*at )(?P<before>.*?)\borg[./]navitas[./](?:runtime|hooks)[./]\w.*$", re.MULTILINE)
"""A line that names a class which probes call. Frames do not count: Navitas' own code calls each test."""
_OTHERS = r"(?!(?:javax?|kotlin|junit|org\.junit|org\.opentest4j|com\.tngtech)\.)"
_CLASS = re.compile(rf"(?<![\w.$]){_OTHERS}(?:[a-z_]\w*\.)+[A-Z][\w$]*")
"""A class of the app. Messages also name exceptions, types of parameters, and the library that looks."""
_LONGEST_QUOTE = 300


def seen_probes(stacks: Mapping[TestName, str]) -> tuple[str, str] | None:
    """Return why tests failed because of probes, by their stack traces, and what helps. None: there are no such tests."""
    lines = {test: quoted for test, stack in stacks.items() if (quoted := list(_PROBE.finditer(stack)))}
    if not lines:
        return None
    test, (first, *_) = next(iter(lines.items()))
    others = {1: "", 2: " and another test"}.get(len(lines), f" and {len(lines) - 1:,} other tests")
    message = (
        f"{test}{others} failed because of probes: such a test looks at class files, and finds calls there that the source does"
        f" not have: {first[0].strip()[:_LONGEST_QUOTE]}"
    )
    named = (_CLASS.search(line["before"][:_LONGEST_QUOTE]) for quoted in lines.values() for line in quoted)
    classes = {caller[0] for caller in named if caller}
    pattern = _pattern(sorted(classes or {failed.class_name for failed in lines}))
    remedy = f"give these classes no probes: --exclude '{pattern}' (they then have no rows); or leave the test out with --tests"
    return message, remedy


def _pattern(classes: list[str]) -> str:
    """Return a pattern of `--exclude` that matches all classes: one name, or the package that contains them."""
    if len(classes) == 1:
        return classes[0]
    packages = zip(*(name.split(".")[:-1] for name in classes), strict=False)
    return ".".join([*(names[0] for names in takewhile(lambda names: len(set(names)) == 1, packages)), "**"])

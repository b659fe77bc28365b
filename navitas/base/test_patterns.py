"""Select tests: match patterns like `SortTest#*` against the names that the device lists."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from navitas.base.errors import UsageError
from navitas.base.method_names import without_parameters
from navitas.base.units import counted
from navitas.base.untrusted_text import is_printable

_NEAREST = 5
# difflib's own cutoff for close matches.
_SIMILAR = 0.6
_TEST_WORD = re.compile(r"Tests?$")
# An adb server takes requests of up to 65,535 bytes: their length has four hexadecimal digits.
_MAX_ARGUMENT_BYTES = 60_000
_INDICES = re.compile(r"(\d+\])(\[\d+\])*")


@dataclass(frozen=True, slots=True, order=True)
class TestName:
    """A test: fully qualified class and method (`method[0]` where it has parameters).

    A container represents tests that are known only when it runs: a parameterized method or class (with an empty `method`), or
    a factory.
    """

    __test__ = False

    class_name: str
    method: str
    is_container: bool = field(default=False, compare=False)

    @property
    def plain_method(self) -> str:
        """The method without parameter types (`adds(int)`) and index (`adds[1]`)."""
        return without_parameters(self.method.partition("[")[0])

    def __str__(self) -> str:
        return f"{self.class_name}#{self.method}"


def check_pattern(pattern: str) -> None:
    """Raise `UsageError` if a pattern can never match a test."""
    class_pattern, hash_sign, method_pattern = pattern.partition("#")
    if not class_pattern or not is_printable(class_pattern) or "/" in class_pattern or (hash_sign and not method_pattern):
        raise UsageError(f"'{pattern}' is not a test pattern", "give CLASS or CLASS#METHOD with * and ?, such as 'SortTest#*'")


def named(pattern: str, test: TestName) -> TestName | None:
    """Match a listed test against `CLASS[#METHOD]` (with `*`, `?`, `[…]`).

    Returns the test, one invocation (`adds[2]`) of a container, or None. CLASS matches the full or the simple name.
    Without METHOD, it also matches nested classes.
    """
    method_pattern = pattern.partition("#")[2]
    if not names_class(pattern, test.class_name):
        return None
    if fnmatchcase(test.method, method_pattern or "*") or method_pattern in (test.method, test.plain_method):
        return test
    method, _, indices = method_pattern.partition("[")
    if test.is_container and not test.method:
        return test if set(method) & {"*", "?"} else TestName(test.class_name, method)
    if test.is_container and indices and (fnmatchcase(test.method, method) or method == test.plain_method):
        return TestName(test.class_name, f"{test.method}[{indices}") if _INDICES.fullmatch(indices) else test
    return None


def names_class(pattern: str, class_name: str) -> bool:
    """Return whether the class part of a pattern matches the class, by its full or simple name, or an enclosing class."""
    class_pattern, method, _ = pattern.partition("#")
    candidates = [class_name] if method else _enclosing(class_name)
    return any(fnmatchcase(name, class_pattern) or fnmatchcase(name.rpartition(".")[2], class_pattern) for name in candidates)


def none_found() -> UsageError:
    """Return the error for bundles without tests."""
    return UsageError("no runnable JUnit test was found", "Add tests of JUnit 4 or the JUnit Platform.")


def no_match(pattern: str, tests: Sequence[TestName]) -> UsageError:
    """Return the error for a pattern without a match.

    Its remedy suggests a pattern for names that have the given one in them, and tests with similar names, or else the first ones.
    """
    similar = _similar(pattern, tests)
    offer = ", ".join(map(_short, similar or tests[:_NEAREST]))
    remedy = f"{counted(len(tests), 'test')} found; {'similar' if similar else 'the first'}: {offer}"
    wider = next((wide for wide in _wider(pattern) if any(named(wide, test) for test in tests)), None)
    hint = f"a pattern is for whole names: try '{wider}'; " if wider else ""
    return UsageError(f"no test matches '{pattern}'", hint + remedy)


def _wider(pattern: str) -> Iterator[str]:
    """Yield patterns for names that have this one in them, also with a capital first letter: of classes, then of methods."""
    class_part, hash_sign, method_part = pattern.partition("#")
    for part in dict.fromkeys((class_part, class_part[:1].upper() + class_part[1:])):
        yield f"*{part}*#*{method_part}*" if hash_sign else f"*{part}*"
        if not hash_sign:
            yield f"*#*{part}*"


def _similar(pattern: str, tests: Sequence[TestName]) -> list[TestName]:
    """Return up to five tests, the most similar first.

    Compares class names (without packages) and method names separately: if the pattern has both, both must be similar.
    If the pattern resembles no class, it may be a method's name.
    """
    class_part, has_method, method_part = (part.replace("*", "").replace("?", "") for part in pattern.partition("#"))
    by_class: dict[str, list[TestName]] = {}
    for test in tests:
        by_class.setdefault(test.class_name, []).append(test)
    classes = {name: likeness for name in by_class if (likeness := _likeness(_kernel(class_part), _kernel(name))) >= _SIMILAR}
    if not classes and not has_method:
        classes, method_part = dict.fromkeys(by_class, 0.0), class_part
    ranked = {
        test: (classes[name] + likeness, _likeness(class_part, name))
        for name in classes
        for test in (by_class[name] if method_part else by_class[name][:1])
        if (likeness := _likeness(method_part, test.plain_method)) >= _SIMILAR
    }
    return sorted(ranked, key=lambda test: ranked[test], reverse=True)[:_NEAREST]


def _kernel(class_name: str) -> str:
    """Return a class's name without its package and the word `Test`, which would make all names similar."""
    name = class_name.rpartition(".")[2]
    return _TEST_WORD.sub("", name) or name


def _likeness(wanted: str, name: str) -> float:
    """Return the similarity from 0 to 1, ignoring case; 1 if `wanted` is empty."""
    return difflib.SequenceMatcher(None, wanted.lower(), name.lower()).ratio() if wanted else 1.0


def _short(test: TestName) -> str:
    return f"{test.class_name.rpartition('.')[2]}#{test.method}"


def class_arguments(selected: Sequence[TestName], everything: Sequence[TestName], *, by_default: Sequence[TestName]) -> list[str]:
    """Return values for `am instrument -e class`, one for each run.

    A value is the class if all its tests and those of nested classes are selected, otherwise `class#method`.
    `['']` runs the default tests. A list that is too long for a command line is split into several runs.
    """
    chosen = set(selected)
    if chosen == set(by_default):
        return [""]
    partial = {enclosing for test in everything if test not in chosen for enclosing in _enclosing(test.class_name)}
    return argument_lists(_argument(test) if test.class_name in partial else test.class_name for test in selected)


def argument_lists(parts: Iterable[str]) -> list[str]:
    """Join the distinct parts by commas into as few lists as command lines can hold."""
    lists: list[str] = []
    room = 0
    for part in dict.fromkeys(parts):
        size = len(shlex.quote(f",{part}").encode("utf-8", "replace"))
        if size <= room:
            lists[-1] += f",{part}"
        else:
            lists.append(part)
            room = _MAX_ARGUMENT_BYTES
        room -= size
    return lists


def _enclosing(class_name: str) -> list[str]:
    """Return a class and its enclosing classes."""
    parts = class_name.split("$")
    return ["$".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _argument(test: TestName) -> str:
    """Return a test as an argument. Encodes the separators of arguments, which the phone's runner decodes."""
    return str(test).replace("%", "%25").replace(",", "%2C") if test.method else test.class_name

from __future__ import annotations

import pytest

from navitas.collect.selection import TestName, check_pattern, class_arguments, matches
from navitas.errors import UsageError

ALL = [
    TestName("org.x.SortTest", "sortsSmall"),
    TestName("org.x.SortTest", "sortsLarge"),
    TestName("org.x.SumTest", "sums[0]"),
    TestName("org.x.SumTest", "sums[1]"),
]


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("SortTest#*", 2),
        ("SortTest", 2),
        ("org.x.SortTest#sortsLarge", 1),
        ("org.x.*", 4),
        ("*Test#s*L*", 1),
        ("SumTest#sums[0]", 1),
        ("SumTest#sums*", 2),
        ("x.SortTest", 0),
        ("*#sortsSmall", 1),
    ],
)
def test_patterns(pattern: str, count: int) -> None:
    assert sum(matches(pattern, test) for test in ALL) == count


def test_the_class_argument_is_as_short_as_it_can_be() -> None:
    assert class_arguments(ALL, ALL, by_default=ALL) == [""]
    assert class_arguments(ALL[:2], ALL, by_default=ALL) == ["org.x.SortTest"]
    assert class_arguments(ALL[1:3], ALL, by_default=ALL) == ["org.x.SortTest#sortsLarge,org.x.SumTest#sums[0]"]


def test_a_comma_in_a_parameter_names_the_method_alone() -> None:
    everything = [*ALL, TestName("org.x.CalcTest", "adds[0: 1,2]"), TestName("org.x.CalcTest", "subtracts")]
    assert class_arguments(everything[-2:-1], everything, by_default=everything) == ["org.x.CalcTest#adds"]


def test_a_selection_too_long_for_a_command_line_becomes_several_runs() -> None:
    everything = [TestName("org.x.ManyTest", f"test{number:05}") for number in range(10_000)]
    arguments = class_arguments(everything[:-1], everything, by_default=everything)
    assert len(arguments) > 1
    assert all(len(argument) <= 60_000 for argument in arguments)
    assert ",".join(arguments).split(",") == [str(test) for test in everything[:-1]]


@pytest.mark.parametrize("pattern", ["", "#t", "SortTest#", "org/x/SortTest", "a b", "a\nb"])
def test_what_can_never_name_a_test_is_wrong_usage(pattern: str) -> None:
    with pytest.raises(UsageError, match="no test pattern") as caught:
        check_pattern(pattern)
    assert "SortTest#*" in caught.value.remedy


@pytest.mark.parametrize("pattern", ["*", "SortTest", "org.x.*#sorts*", "SumTest#sums[a b/c]", "Größe#wächst"])
def test_what_may_name_one_is_not(pattern: str) -> None:
    check_pattern(pattern)

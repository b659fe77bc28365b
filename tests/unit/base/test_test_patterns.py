from __future__ import annotations

import shlex

import pytest

from navitas.base.errors import UsageError
from navitas.base.test_patterns import TestName, check_pattern, class_arguments, named, no_match

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
    assert sum(named(pattern, test) == test for test in ALL) == count


def test_the_class_argument_is_as_short_as_it_can_be() -> None:
    assert class_arguments(ALL, ALL, by_default=ALL) == [""]
    assert class_arguments(ALL[:2], ALL, by_default=ALL) == ["org.x.SortTest"]
    assert class_arguments(ALL[1:3], ALL, by_default=ALL) == ["org.x.SortTest#sortsLarge,org.x.SumTest#sums[0]"]


def test_what_divides_arguments_is_encoded() -> None:
    everything = [
        *ALL,
        TestName("org.x.CalcTest", "adds[0: 1,2]"),
        TestName("org.x.CalcTest", "50%"),
        TestName("org.x.CalcTest", "c"),
    ]
    arguments = class_arguments(everything[-3:-1], everything, by_default=everything)
    assert arguments == ["org.x.CalcTest#adds[0: 1%2C2],org.x.CalcTest#50%25"]


NESTED = [
    TestName("p.Calc", "adds(int,int)"),
    TestName("p.Calc", "adds(String)"),
    TestName("p.Calc", "squares", is_container=True),
    TestName("p.Calc$Inner", "inside"),
    TestName("p.Calc$Inner$Deeper", "deep"),
    TestName("p.PerClass", "", is_container=True),
]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("Calc", ["adds(int,int)", "adds(String)", "squares", "inside", "deep"]),
        ("Calc#*", ["adds(int,int)", "adds(String)", "squares"]),
        ("Calc$Inner", ["inside", "deep"]),
        ("p.Calc$Inner#inside", ["inside"]),
        ("Calc#adds", ["adds(int,int)", "adds(String)"]),
        ("Calc#adds(String)", ["adds(String)"]),
        ("Calc#adds[1]", []),
        ("Calc#squares", ["squares"]),
        ("Calc#squares[2]", ["squares[2]"]),
        ("Calc#sq*[2][1]", ["squares[2][1]"]),
        ("Calc#squares[*]", ["squares"]),
        ("Calc#inside[1]", []),
        ("PerClass", [""]),
        ("PerClass#one", ["one"]),
        ("PerClass#one[1]", ["one"]),
        ("PerClass#o*", [""]),
    ],
)
def test_nested_classes_overloads_and_invocations(pattern: str, found: list[str]) -> None:
    assert [test.method for listed in NESTED if (test := named(pattern, listed))] == found


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("My Test#sorts (fast)", ["sorts (fast)(int[])", "sorts (fast)"]),
        ("org.x.My Test#sorts*", ["sorts (fast)(int[])", "sorts (fast)", "sorts, twice"]),
        ("My Test#sorts, twice", ["sorts, twice"]),
        ("My*", ["sorts (fast)(int[])", "sorts (fast)", "sorts, twice", "add(1) is 2"]),
        ("My Test#sorts", []),
        ("My Test#sorts ", []),
        ("My Test#add(1) is 2", ["add(1) is 2"]),
    ],
)
def test_names_of_kotlin_with_spaces(pattern: str, found: list[str]) -> None:
    tests = [TestName("org.x.My Test", name) for name in ("sorts (fast)(int[])", "sorts (fast)", "sorts, twice", "add(1) is 2")]
    assert [test.method for test in tests if named(pattern, test)] == found


def test_a_class_is_an_argument_only_with_its_nested_classes() -> None:
    def arguments(*selected: TestName) -> list[str]:
        return class_arguments(selected, NESTED, by_default=NESTED)

    assert arguments(*NESTED[:5]) == ["p.Calc,p.Calc$Inner,p.Calc$Inner$Deeper"]
    assert arguments(*NESTED[:3]) == ["p.Calc#adds(int%2Cint),p.Calc#adds(String),p.Calc#squares"]
    assert arguments(*NESTED[3:5]) == ["p.Calc$Inner,p.Calc$Inner$Deeper"]
    assert arguments(NESTED[5]) == ["p.PerClass"]
    assert arguments(TestName("p.Calc", "squares[2]")) == ["p.Calc#squares[2]"]


def test_a_selection_too_long_for_a_command_line_becomes_several_runs() -> None:
    everything = [TestName("org.x.ManyTest", f"test{number:05}") for number in range(10_000)]
    arguments = class_arguments(everything[:-1], everything, by_default=everything)
    assert len(arguments) > 1
    assert all(len(argument) <= 60_000 for argument in arguments)
    assert ",".join(arguments).split(",") == [str(test) for test in everything[:-1]]


def test_names_of_long_characters_and_quotes_have_room_too() -> None:
    everything = [TestName("org.x.ManyTest", f"größer'als{number:05}ß日本") for number in range(3_000)]
    arguments = class_arguments(everything[:-1], everything, by_default=everything)
    assert all(len(shlex.quote(argument).encode()) <= 60_000 for argument in arguments)
    assert ",".join(arguments).split(",") == [str(test) for test in everything[:-1]]


@pytest.mark.parametrize("pattern", ["", "#t", "SortTest#", "org/x/SortTest", "a\nb", "a\u202eb"])
def test_what_can_never_name_a_test_is_wrong_usage(pattern: str) -> None:
    with pytest.raises(UsageError, match="not a test pattern") as caught:
        check_pattern(pattern)
    assert "SortTest#*" in caught.value.remedy


@pytest.mark.parametrize(
    "pattern", ["*", "SortTest", "org.x.*#sorts*", "SumTest#sums[a b/c]", "Größe#wächst", "My\u00a0Test", "a b#x"]
)
def test_what_may_name_one_is_not(pattern: str) -> None:
    check_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "similar"),
    [
        ("SortTest#sortsSmal", ["SortTest#sortsSmall", "SortTest#sortsLarge"]),
        ("org.y.SortTests#sortsLarg", ["SortTest#sortsLarge", "SortTest#sortsSmall"]),
        ("SrotTest", ["SortTest#sortsSmall"]),
        ("SumTest#sum*", ["SumTest#sums[0]", "SumTest#sums[1]"]),
        ("sortsSmall", ["SortTest#sortsSmall", "SortTest#sortsLarge"]),
        ("SortTest#addsMany", []),
        ("org.x.OtherTest", []),
        ("org.x.OtherTest#sortsSmall", []),
        ("ZebraTest#*", []),
    ],
)
def test_only_tests_of_similar_names_are_offered(pattern: str, similar: list[str]) -> None:
    error = no_match(pattern, ALL)
    assert f"no test matches '{pattern}'" in error.message
    offered = error.remedy.partition("similar: ")[2]
    assert offered.split(", ") == similar if similar else " found; the first: " in error.remedy

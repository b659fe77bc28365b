"""The stream of `am instrument -w -r`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.android.instrumentation import Event, InstrumentationParser, RunFinished, TestFinished, TestStarted, Warned


def parse(text: str) -> list[Event]:
    parser = InstrumentationParser()
    return [event for line in text.split("\n") for event in parser.feed(line)]


def status(code: int, test: str = "works", extra: str = "") -> str:
    return (
        f"INSTRUMENTATION_STATUS: class=a.B\nINSTRUMENTATION_STATUS: current=1\nINSTRUMENTATION_STATUS: id=AndroidJUnitRunner\n"
        f"INSTRUMENTATION_STATUS: numtests=2\n{extra}INSTRUMENTATION_STATUS: test={test}\nINSTRUMENTATION_STATUS_CODE: {code}\n"
    )


OK = "INSTRUMENTATION_RESULT: stream=\n\nTime: 0.1\n\nOK (2 tests)\n\n\nINSTRUMENTATION_CODE: -1\n"


def test_a_passing_run() -> None:
    assert parse(status(1) + status(0) + OK) == [
        TestStarted("a.B", "works", 1, 2),
        TestFinished("a.B", "works", "passed", ""),
        RunFinished(True, "Time: 0.1\n\nOK (2 tests)"),
    ]


@pytest.mark.parametrize(("code", "name"), [(0, "passed"), (-1, "failed"), (-2, "failed"), (-3, "ignored"), (-4, "assumption")])
def test_codes(code: int, name: str) -> None:
    (event,) = parse(status(code))
    assert isinstance(event, TestFinished) and event.status == name


def test_a_stack_of_many_lines() -> None:
    stack = "INSTRUMENTATION_STATUS: stack=java.lang.AssertionError: expected\n\n\tat a.B.works(B.java:3)\n"
    (event,) = parse(status(-2, extra=stack))
    assert event == TestFinished("a.B", "works", "failed", "java.lang.AssertionError: expected\n\n\tat a.B.works(B.java:3)")


def test_a_stack_of_megabytes_is_cut_and_costs_what_its_lines_cost() -> None:
    """As of an assertion that quotes a whole file."""
    stack = "INSTRUMENTATION_STATUS: stack=x\n" + f"{'a' * 99}\n" * 50_000
    (event,) = parse(status(-2, extra=stack))
    assert isinstance(event, TestFinished) and event.stack.startswith(f"x\n{'a' * 99}\n")
    assert 0.9e6 < len(event.stack) <= 1 << 20
    (event,) = parse(
        "".join(f"INSTRUMENTATION_STATUS: class=a.B\nINSTRUMENTATION_STATUS: k{i}=v\n" for i in range(5000)) + status(0)
    )
    assert event == TestFinished("a.B", "", "passed", "")


def test_windows_line_ends() -> None:
    assert parse((status(1) + OK).replace("\n", "\r\n")) == parse(status(1) + OK)


def test_a_failing_class_has_no_method() -> None:
    assert parse(status(1, test="null"))[0] == TestStarted("a.B", "", 1, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0", "Process crashed."),
        (
            "INSTRUMENTATION_RESULT: longMsg=java.lang.Error: boom\nINSTRUMENTATION_RESULT: shortMsg=java.lang.Error\n"
            "INSTRUMENTATION_CODE: 0",
            "java.lang.Error: java.lang.Error: boom",
        ),
        ("INSTRUMENTATION_CODE: 0", "the instrumentation was cancelled"),
        (
            "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{a/b}\n"
            "INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS_CODE: -1\n"
            "android.util.AndroidException: nothing\nonError: commandError=true message=INSTRUMENTATION_FAILED: a/b\n"
            "INSTRUMENTATION_FAILED: a/b",
            "Unable to find instrumentation info for: ComponentInfo{a/b}",
        ),
        ("INSTRUMENTATION_FAILED: a/b", "INSTRUMENTATION_FAILED: a/b"),
        ("INSTRUMENTATION_ABORTED: System has crashed.", "INSTRUMENTATION_ABORTED: System has crashed."),
    ],
)
def test_ends_that_are_none(text: str, message: str) -> None:
    assert parse(text) == [RunFinished(False, message)]


def test_a_crash_leaves_the_test_open() -> None:
    events = parse(status(1) + "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
    assert [type(event) for event in events] == [TestStarted, RunFinished]


def test_missing_numbers_are_zero() -> None:
    text = "INSTRUMENTATION_STATUS: class=a.B\nINSTRUMENTATION_STATUS: test=x\nINSTRUMENTATION_STATUS_CODE: 1\n"
    assert parse(text) == [TestStarted("a.B", "x", 0, 0)]


def test_unknown_codes_and_lines_are_skipped() -> None:
    assert parse("WARNING: linker: something\n" + status(2) + status(99) + "INSTRUMENTATION_STATUS_CODE: x\n") == []


def test_containers_in_lists_and_warnings() -> None:
    text = "INSTRUMENTATION_STATUS: navitas.warning=disabled\nINSTRUMENTATION_STATUS_CODE: 2\n"
    container = status(1, extra="INSTRUMENTATION_STATUS: navitas.container=true\n")
    assert parse(text + container) == [Warned("disabled"), TestStarted("a.B", "works", 1, 2, is_container=True)]


def test_names_are_clean() -> None:
    assert parse(status(1, test="a\n\x1b[0m\u202e"))[0] == TestStarted("a.B", "a\\n\\u001b[0m\\u202e", 1, 2)


lines = st.one_of(
    st.text(max_size=30),
    st.builds(
        lambda word, rest: word + rest,
        st.sampled_from(
            [
                "INSTRUMENTATION_STATUS: ",
                "INSTRUMENTATION_STATUS_CODE: ",
                "INSTRUMENTATION_RESULT: ",
                "INSTRUMENTATION_CODE: ",
                "onError: ",
            ]
        ),
        st.one_of(st.text(max_size=20), st.integers().map(str), st.sampled_from(["class=a", "test=b", "numtests=99", "stack=x"])),
    ),
)


@given(st.lists(lines, max_size=30))
def test_no_line_breaks_it_and_it_ends_once(text: list[str]) -> None:
    parser = InstrumentationParser()
    events = [event for line in text for event in parser.feed(line)]
    assert sum(isinstance(event, RunFinished) for event in events) <= 1

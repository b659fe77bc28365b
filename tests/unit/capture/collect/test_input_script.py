"""Scripts of input events: their commands, and lines that are none."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from navitas.base.errors import UsageError
from navitas.capture.collect.runs.input_script import KEY_NAMES, read_input_script


def script(tmp_path: Path, text: str) -> str:
    file = tmp_path / "use.txt"
    file.write_text(text, "utf-8")
    return read_input_script(file)


def test_events_become_commands_that_run_one_after_the_other(tmp_path: Path) -> None:
    text = "# opens the list\ntap 10 20.5\n\nswipe 1 2 3 4 500 # slowly\nkeyevent KEYCODE_HOME\ntext 'it is $(x)'\nsleep 0.5\n"
    define, events = script(tmp_path, text).split("\n", 1)
    assert define == 'e() { n=$1; shift; input "$@"; }'
    assert events.startswith(
        "e 2 tap 10 20.5 && e 4 swipe 1 2 3 4 500 && e 5 keyevent KEYCODE_HOME && e 6 text 'it%sis%s$(x)' && n=7 && sleep 0.5 || "
    )


def test_a_byte_order_mark_is_no_part_of_the_first_event(tmp_path: Path) -> None:
    assert "\ne 1 tap 1 2 || " in script(tmp_path, "\ufefftap 1 2\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("tap 1", r"line 1: not 'tap X Y'"),
        ("tap 1 2\ntap 1 2 3", r"line 2: not 'tap X Y'"),
        ("swipe 1 2 3", "line 1: not 'swipe"),
        ("sleep x", "line 1: not 'sleep SECONDS'"),
        ("reboot", "line 1: 'reboot' is not an event"),
        ("keyevent 'A;B'", "line 1: not 'keyevent"),
        ("text 'ü'", "line 1: not 'text .*'ü' is not printable ASCII"),
        ("text 'a%sb'", "line 1: not 'text .*types a space for %s"),
        ("text ''", "line 1: not 'text .*it is empty"),
        (f"text {'x' * 1001}", "line 1: not 'text .*1,001 characters"),
        ("swipe 1 2 3 4 300.5", "line 1: not 'swipe .*300.5 is not a whole number of milliseconds"),
        ("tap -5 10", "line 1: not 'tap X Y': -5 is negative"),
        ("keyevent back", "line 1: not 'keyevent .*'back' is an unknown key name: write BACK"),
        (
            "keyevent BACKWARDS",
            "line 1: not 'keyevent .*: write a name of android.view.KeyEvent, with or without KEYCODE_, or a number",
        ),
        ("tap 1 x2", "line 1: not 'tap X Y': 'x2' is not a number"),
        ("text 'open", "line 1: No closing quotation"),
        ("# nothing\n\n", "it has no events"),
        ("tap \u0661 2", "line 1: not 'tap X Y'"),
        ("tap 1 1\n" * 5000, "its commands have .* characters, and adb takes 60,000"),
        ("", "it has no events"),
    ],
)
def test_what_is_no_event_is_an_error_with_its_line(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        script(tmp_path, text)
    assert "tap X Y" in caught.value.remedy or "fewer events" in caught.value.remedy


def test_binary_data_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "use.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not text in UTF-8"):
        read_input_script(tmp_path / "use.txt")


@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=40))
def test_any_text_stays_one_word_of_the_shell(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    assume("%s" not in text)
    command = script(tmp_path_factory.mktemp("script"), f"text {shlex.quote(text)}")
    event = command.partition("\n")[2].rpartition(" || ")[0]
    assert shlex.split(event) == ["e", "1", "text", text.replace(" ", "%s")]


def test_key_names_are_those_of_androids_keys() -> None:
    """338 constants, without KEYCODE_UNKNOWN."""
    assert len(KEY_NAMES) == 337 and {"BACK", "HOME", "3D_MODE", "0", "F24"} <= KEY_NAMES and "UNKNOWN" not in KEY_NAMES

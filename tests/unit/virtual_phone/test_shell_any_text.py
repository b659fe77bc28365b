"""Any text is read in time, and runs to an end with a status."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phone_harness import on_phone, run, shell

from navitas.virtual_phone.shell.parser import parse
from navitas.virtual_phone.shell.syntax import ShellSyntaxError


@settings(max_examples=150)
@given(st.text(st.sampled_from("ab12 $(){}[]\"'`\\|&;<>\n#*?=!~-+,:/%@"), max_size=80))
def test_any_text_is_parsed_in_time_or_refused(text: str) -> None:
    """The lexer and parser know no error but their own, and each text is read in time linear in its length."""
    for script in (text, text * 50):
        try:
            parse(script)
        except ShellSyntaxError as error:
            assert str(error)


@pytest.mark.parametrize(
    "text",
    [
        "$((" * 18 + "1" + "))" * 18,
        "${a:-" * 18 + "}" * 18,
        "$(" * 18 + "a" + ")" * 18,
        "((" * 200 + "1" + "))" * 200,
        '"$(' * 18 + ')"' * 18,
        "{a,b}" * 400,
        "{" * 50_000,
        "<<E " * 2000,
        "`" * 4001,
        "case a in " * 90,
        "a<<E\n" * 300 + "E\n" * 300,
    ],
    ids=lambda text: text[:10],
)
def test_nested_and_repeated_constructs_do_not_hang(text: str, tmp_path: Path) -> None:
    assert shell(tmp_path, f": {text}\n").status in (0, 1, 2, 126, 127)


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@settings(max_examples=50)
@given(st.lists(words, max_size=4))
def test_quoted_words_arrive_as_they_are(tmp_path_factory: pytest.TempPathFactory, arguments: list[str]) -> None:
    quoted = " ".join("'" + argument.replace("'", "'\\''") + "'" for argument in arguments)
    found = shell(tmp_path_factory.mktemp("phone"), f"set -- {quoted}\nprintf '%s\\0' \"$@\"")
    assert found.stdout == b"".join(argument.encode() + b"\0" for argument in arguments) or (
        not arguments and found.stdout == b"\0"
    )


@settings(max_examples=200)
@given(st.text(st.sampled_from("ab $(){}[]\"'`\\|&;<>\n#*?=!~-10"), max_size=30))
def test_no_text_breaks_the_shell(tmp_path_factory: pytest.TempPathFactory, script: str) -> None:
    """Any text runs to an end with a status; what it does is not asserted."""
    found = on_phone(
        tmp_path_factory.mktemp("phone"), lambda phone: run(phone, f"timeout 5 sh -c '{script.replace(chr(39), '')}'")
    )
    assert 0 <= found.status <= 255

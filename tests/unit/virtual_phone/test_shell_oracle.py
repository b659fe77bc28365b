"""The phone's shell against this machine's shells: any words of common quoting come out alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phone_harness import shell

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

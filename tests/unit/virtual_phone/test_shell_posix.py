"""The phone's shell does what this machine's POSIX shell does."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phone_harness import on_phone, run, shell

SH = shutil.which("dash") or shutil.which("sh")
pytestmark = pytest.mark.skipif(SH is None, reason="this machine has no POSIX shell to compare with")


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

"""Untrusted text is shown safely: on the terminal, in HTML, in names and in JSON."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.base.untrusted_text import boxed, clean_name, printable, printable_line, printable_lines, without_surrogates

UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
ANY_TEXT = st.text(st.characters(), max_size=600)
"""Halves of surrogate pairs, too."""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\x00c\u2028d\u200be", "a\\u0009b\\u0000c\\u2028d\\u200be"),
        ("\x1b[31mred\x9b0m\r\n", "\\u001b[31mred\\u009b0m\\u000d\\u000a"),
        ("turned \u202e \u2066 \ufeff", "turned \\u202e \\u2066 \\ufeff"),
        ("half \ud83d", "half \\ud83d"),
        ("hidden \U000e0041, private \ue000", "hidden \\U000e0041, private \\ue000"),
        ("no characters \ufffe\uffff\ufdd0\U0001ffff", "no characters \\ufffe\\uffff\\ufdd0\\U0001ffff"),
        ("é ü 😀 [bold red]x[/] %s {0}", "é ü 😀 [bold red]x[/] %s {0}"),
        ("", ""),
    ],
)
def test_unsafe_characters_are_shown_by_their_numbers(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(ANY_TEXT, st.integers(1, 300))
def test_any_shown_text_is_safe_and_short(text: str, limit: int) -> None:
    for shown in (printable(text, limit), printable_line(text, limit), boxed(text, limit)):
        assert len(shown) <= limit and not UNSAFE & set(map(unicodedata.category, shown))
        assert not any(ord(char) & 0xFFFF in (0xFFFE, 0xFFFF) for char in shown)
        shown.encode()
    assert not UNSAFE & set(map(unicodedata.category, printable_lines(text).replace("\n", "")))


def test_long_text_is_cut_before_its_characters_are_checked() -> None:
    assert printable("x" * 1000, 50) == "x" * 49 + "…" and printable("x" * 50, 50) == "x" * 50
    assert boxed("\x00" * 1000, 3) == "\ufffd\ufffd…"


def test_tabs_in_messages_become_spaces_and_escapes_have_no_effect() -> None:
    assert printable_lines("> a\tb\n\tat p.A.f(A.java:1)\x1b[2J\r") == "> a b\n    at p.A.f(A.java:1)\\u001b[2J\\u000d"
    assert printable("a\tb") == "a\\u0009b"


def test_unsafe_characters_in_pages_become_boxes() -> None:
    assert boxed("a\x00b\u202ec\ue000 <b>", 300) == "a\ufffdb\ufffdc\ufffd <b>"


def test_test_names_are_cleaned_and_cut() -> None:
    """The same cases as in TestNameTest.java, because an app's markers must have the same names."""
    assert clean_name("a b[ü 😀]") == "a b[ü 😀]"
    assert clean_name("a\nb\r\tc\0\x1b[0m\u2028\u202e\x85") == "a\\nb\\r\\tc\\u0000\\u001b[0m\\u2028\\u202e\\u0085"
    assert clean_name("half \ud83d, other \ude00") == "half \\ud83d, other \\ude00"
    assert clean_name("x" * 240) == "x" * 240
    assert clean_name("x" * 240 + "y") == clean_name(clean_name("x" * 240 + "y")) == "x" * 231 + "…83a789fe"


@given(ANY_TEXT)
def test_a_clean_name_stays_unchanged(name: str) -> None:
    assert clean_name(clean_name(name)) == clean_name(name)


@given(st.recursive(ANY_TEXT, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner), max_leaves=5))
def test_json_values_can_be_written(value: object) -> None:
    json.dumps(without_surrogates(value), ensure_ascii=False).encode()

"""Lexer, parser, patterns and arithmetic of the phone's shell."""

from __future__ import annotations

import contextlib
import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.virtual_phone.shell.arithmetic import ArithmeticFault, evaluate
from navitas.virtual_phone.shell.glob_patterns import expand_glob, matches
from navitas.virtual_phone.shell.lexer import Operator, tokenize
from navitas.virtual_phone.shell.parser import parse
from navitas.virtual_phone.shell.syntax import (
    AndOr,
    Arithmetic,
    Literal,
    Parameter,
    Pipeline,
    Redirect,
    Script,
    ShellSyntaxError,
    Simple,
    Substitution,
)


def word(text: str, quoted: bool = False) -> tuple[Literal, ...]:
    return (Literal(text, quoted),)


def test_words_and_operators() -> None:
    assert tokenize("a'b c'\"d\"|e 2>f # no\n") == [
        (Literal("a", False), Literal("b cd", True)),
        Operator("|"),
        word("e"),
        Operator("2", io_number=True),
        Operator(">"),
        word("f"),
        Operator("\n"),
    ]


def test_dollar_constructs() -> None:
    assert tokenize('$a${b:-x}"$c"$(d $(e))`f`$((g+1))$') == [
        (
            Parameter("a", False),
            Parameter("b", False, ":-", word("x")),
            Literal("", True),
            Parameter("c", True),
            Substitution("d $(e)", False),
            Substitution("f", False),
            Arithmetic(word("g+1"), False),
            Literal("$", False),
        )
    ]


def test_a_substitution_may_hold_quoted_parentheses() -> None:
    assert tokenize("$(echo ')' \")\" \\) )") == [(Substitution("echo ')' \")\" \\) ", False),)]


def test_a_script_s_tree() -> None:
    assert parse("x=1 a b <c && ! d | e &") == Script(
        (
            AndOr(
                (
                    ("&&", Pipeline((Simple((("x", word("1")),), (word("a"), word("b")), (Redirect(0, "<", word("c")),)),))),
                    ("&&", Pipeline((Simple((), (word("d"),)), Simple((), (word("e"),))), negated=True)),
                ),
                background=True,
            ),
        )
    )


@pytest.mark.parametrize(
    "text", ["'", '"', "`", "$(", "${x", "a |", "a &&", "if a; then b", "while a; do", "(", "{ a;", "case x in", "f() "]
)
def test_unfinished_scripts_are_errors(text: str) -> None:
    with pytest.raises(ShellSyntaxError) as caught:
        parse(text)
    assert caught.value.incomplete


@pytest.mark.parametrize(
    "text",
    [
        *(")", "a )", "| a", "&& a", "then", "done", "a; ; b", "( )", "if ; then a; fi", ";;", "for 1 in a; do b; done", "a <<E"),
        *(5000 * nested for nested in ("(", "$(", "$((", "if ", "{ ", "${a:-", '"$(')),
        "$((1+" * 19 + "1" + "))" * 19 + ")",
    ],
)
def test_wrong_and_deeply_nested_scripts_are_errors(text: str) -> None:
    with pytest.raises(ShellSyntaxError):
        parse(text)


@given(st.text(st.characters(exclude_characters="'\0"), max_size=40))
def test_single_quotes_keep_everything(text: str) -> None:
    assert tokenize(f"'{text}'") == [word(text, True)]


@given(st.text(st.sampled_from("ab*?[]!-"), max_size=8), st.text(st.sampled_from("ab]!-"), max_size=6))
def test_patterns_are_fnmatch_s(pattern: str, text: str) -> None:
    assert matches([(pattern, False)], text) == fnmatch.fnmatchcase(text, pattern)


@given(st.text(max_size=20))
def test_a_quoted_pattern_matches_itself_only(text: str) -> None:
    assert matches([(text, True)], text)
    assert not matches([(text, True)], text + "x")


TREE = {"/": ["a", "b"], "/a": [".h", "x1", "x2"], "/b": ["x1"]}


def listdir(path: str) -> list[str]:
    try:
        return TREE["/" + path.strip("/")]
    except KeyError:
        raise FileNotFoundError(2, "missing", path) from None


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("/*/x*", ["/a/x1", "/a/x2", "/b/x1"]),
        ("/a/*", ["/a/x1", "/a/x2"]),
        ("/a/.*", ["/a/.h"]),
        ("a/x?", ["a/x1", "a/x2"]),
        ("/*/none", []),
        ("/none/*", []),
        ("/[b]/x1", ["/b/x1"]),
        ("*", ["a", "b"]),
    ],
)
def test_globs(pattern: str, found: list[str]) -> None:
    assert expand_glob([(pattern, False)], "/", listdir, lambda path: True) == found


numbers = st.integers(-(2**30), 2**30)


@given(numbers, numbers, st.sampled_from(["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="]))
def test_arithmetic_is_that_of_32_bits(a: int, b: int, operator: str) -> None:
    exact = int(eval(f"({a}) {operator} ({b})"))
    assert evaluate(f"({a}) {operator} ({b})", lambda name: "") == (exact + 2**31) % 2**32 - 2**31


@given(numbers, numbers.filter(bool))
def test_division_truncates(a: int, b: int) -> None:
    quotient = evaluate(f"({a})/({b})", lambda name: "")
    assert quotient == abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    assert evaluate(f"({a})%({b})", lambda name: "") == a - quotient * b


@given(st.text(st.sampled_from("0123456789ax+-*/%<>=&|^!~()?: "), max_size=20))
def test_any_expression_has_a_value_or_a_fault(expression: str) -> None:
    with contextlib.suppress(ArithmeticFault):
        evaluate(expression, lambda name: "1")


def test_precedence_and_variables() -> None:
    values = {"x": "3", "y": " 4 ", "z": "", "w": "x + 1", "r": "r"}
    assert evaluate("(x + y * 2 - z == 11 && 1) * (x << 2)", values.__getitem__) == 12
    assert evaluate("w * 2", values.__getitem__) == 8
    assert evaluate("0 && 1 / 0 || 1 || 1 / 0", values.__getitem__) == 1
    for expression in ("x++", "x = 1", "1 ? 2 : 3", "16#ff", "1, 2"):  # mksh's own, and assignments
        with pytest.raises(ArithmeticFault, match="unexpected"):
            evaluate(expression, values.__getitem__)
    with pytest.raises(ArithmeticFault, match="recurses"):
        evaluate("r", values.__getitem__)

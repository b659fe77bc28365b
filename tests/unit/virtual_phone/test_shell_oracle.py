"""The phone's shell against this machine's shells: any words of common quoting come out alike."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phone_harness import shell

from navitas.virtual_phone.shell.parser import parse
from navitas.virtual_phone.shell.syntax import ShellSyntaxError

SHELLS = {name: path for name in ("dash", "bash", "mksh") if (path := shutil.which(name))}

plain = st.text(st.sampled_from("abcXYZ019_-+=.,:/@%^"), max_size=6)
inner = st.text(st.sampled_from("ab *?[]{}#;&|<>()\\!~\n\t'=ü"), max_size=8)
double = st.lists(
    st.text(st.sampled_from("ab *?[]{}#;&|<>()'~\n"), max_size=6)
    | st.sampled_from(
        ["$x", "${x}", "${u:-d e}", "$((1+2))", "$(echo s)", "`echo t`", "\\$", "\\\\", '\\"', "\\`", "\\a", "${#x}"]
    ),
    max_size=3,
).map("".join)
fragments = st.one_of(
    plain,
    inner.map(lambda text: "'" + text.replace("'", "") + "'"),
    double.map(lambda text: f'"{text}"'),
    st.sampled_from(
        ["\\ ", "\\'", '\\"', "\\\\", "\\$", "$x", "${x}", "$y", "${y%b*}", "${x#a}", "${u-v w}", "$((7*6))", "$(echo a b)"]
    ),
)
words = st.lists(fragments, min_size=1, max_size=4).map("".join)
scripts = st.lists(words, min_size=1, max_size=6).map(
    lambda found: "x=abc; y='1 b 2'; set -f; printf '[%s]\\n' " + " ".join(found) + "\n"
)


@pytest.mark.parametrize("name", ["dash", "bash", "mksh"])
@settings(max_examples=20)
@given(script=scripts)
def test_words_are_cut_and_expanded_alike(name: str, script: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    if name not in SHELLS:
        pytest.skip(f"{name} is not installed")
    command = [SHELLS[name], *(["--posix"] if name == "bash" else []), "-c", script]
    expected = subprocess.run(
        command, capture_output=True, timeout=30, check=False, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    )
    found = shell(tmp_path_factory.mktemp("phone"), script)
    assert (found.status, found.stdout) == (expected.returncode, expected.stdout), found.stderr


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

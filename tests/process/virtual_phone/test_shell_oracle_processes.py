"""The phone's shell splits and expands words as this machine's shells do."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phone_harness import shell

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
def test_words_are_split_and_expanded_as_in_the_reference_shell(
    name: str, script: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if name not in SHELLS:
        pytest.skip(f"{name} is not installed: make test-programs")
    command = [SHELLS[name], *(["--posix"] if name == "bash" else []), "-c", script]
    expected = subprocess.run(command, capture_output=True, check=False, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    found = shell(tmp_path_factory.mktemp("phone"), script)
    assert (found.status, found.stdout) == (expected.returncode, expected.stdout), found.stderr

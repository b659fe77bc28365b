"""The form of examples/container/Containerfile. No test builds the image: that needs a container engine."""

from __future__ import annotations

import json
import re
import tomllib

from source_tree import ROOT, text

TEXT = text(ROOT / "examples/container/Containerfile")
_INSTRUCTIONS = {"ARG", "FROM", "RUN", "COPY", "ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD"}


def instructions() -> list[tuple[str, str]]:
    """The instructions and their arguments, with continued lines joined and default values of ARG inserted."""
    lines = "\n".join(line for line in TEXT.splitlines() if not line.startswith("#"))
    found = [line.partition(" ")[::2] for line in re.sub(r"\\\n\s*", "", lines).splitlines() if line.strip()]
    defaults = dict(words.split("=", 1) for name, words in found if name == "ARG")
    filled = [(name, re.sub(r"\$\{(\w+)\}", lambda match: defaults.get(match[1], match[0]), words)) for name, words in found]
    assert {name for name, _ in filled} <= _INSTRUCTIONS
    return filled


def of(wanted: str) -> list[str]:
    return [words for name, words in instructions() if name == wanted]


def test_both_stages_have_one_pinned_base() -> None:
    bases = [words.partition(" AS ")[0] for words in of("FROM")]
    assert len(bases) == 2 and len(set(bases)) == 1
    assert re.fullmatch(r"[a-z]+:\d+\.\d+-slim", bases[0]), "a release, not a moving tag"


def test_files_come_from_the_wheel_and_the_first_stage() -> None:
    assert of("COPY") == ["navitas-*-py3-none-any.whl /wheel/", "--from=install /opt/navitas /opt/navitas"]
    assert " AS install" in of("FROM")[0]


def test_it_installs_extras_that_exist() -> None:
    extras = tomllib.loads(text(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    (install,) = (words for words in of("RUN") if "pip install" in words)
    (named,) = re.findall(r"\)\[([\w,]+)\]\"", install)
    assert set(named.split(",")) <= set(extras)


def test_navitas_runs_without_root() -> None:
    last = [name for name, _ in instructions()]
    user = last.index("USER")
    assert of("USER") == ["navitas"] and "RUN" not in last[user:] and "COPY" not in last[user:]
    assert any("useradd" in words and words.split(" && ")[0].endswith(" navitas") for words in of("RUN"))
    assert [json.loads(words) for words in (*of("ENTRYPOINT"), *of("CMD"))] == [["navitas"], ["--help"]]


def test_package_lists_are_removed_in_their_layer() -> None:
    for words in of("RUN"):
        assert ("apt-get install" in words) == ("apt-get update" in words) == ("rm -rf /var/lib/apt/lists/*" in words)

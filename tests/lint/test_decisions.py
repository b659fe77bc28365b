"""docs/dev/decisions.md keeps its form: areas with a table of contents, and short entries."""

from __future__ import annotations

import re

from source_tree import DOCS, text

TEXT = text(DOCS / "dev/decisions.md")
MAX_WORDS = 90


def _entries() -> dict[str, str]:
    """The text of each entry, without its labels, by heading."""
    areas = re.split(r"^## .*$", TEXT, flags=re.MULTILINE)[1:]
    entries = (entry.partition("\n") for area in areas for entry in re.split(r"^### ", area, flags=re.MULTILINE)[1:])
    return {heading: text for heading, _, text in entries}


def test_each_decision_has_a_problem_and_a_choice() -> None:
    labels = {heading: re.findall(r"^- \*\*(\w+)\*\*: ", text, re.MULTILINE) for heading, text in _entries().items()}
    assert len(labels) > 100
    wrong = {
        heading: found
        for heading, found in labels.items()
        if found not in (["Problem", "Choice"], ["Problem", "Choice", "Alternatives"])
    }
    assert wrong == {}


def test_each_decision_is_short() -> None:
    words = {
        heading: len(re.sub(r"^- \*\*\w+\*\*: ", "", text, flags=re.MULTILINE).split()) for heading, text in _entries().items()
    }
    assert {heading: count for heading, count in words.items() if count > MAX_WORDS} == {}


def test_the_table_of_contents_lists_each_area() -> None:
    listed = re.findall(r"^- \[(.*)\]\(#", TEXT.partition("\n## ")[0], re.MULTILINE)
    assert listed == re.findall(r"^## (.*)$", TEXT, re.MULTILINE)

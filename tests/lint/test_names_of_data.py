"""Names that hide what they hold become fewer, never more (docs/dev/testing.md, "Names of data")."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator

from source_tree import PACKAGE, files, nodes

# How many variables, fields and parameters of the package have each name, at most.
LIMITS = {"found": 568, "one": 509, "each": 178, "place": 243, "known": 180}


def _bound(syntax: Iterable[ast.AST]) -> Iterator[str]:
    """Yield each name that is bound to data: by an assignment, `for`, `with`, a comprehension, or as a parameter."""
    for node in syntax:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def test_each_way_to_bind_a_name_counts() -> None:
    source = """
def found(one, *each, place: int = 0, **known):   # parameters; the function itself is not data
    one = lambda found: found
    for each, (place, *known) in ():
        with open(one) as found, place as one.known:
            return [found for each in () if (place := each)]
class One:
    found: int = 0
"""
    assert Counter(_bound(ast.walk(ast.parse(source)))) == {"found": 3, "one": 2, "each": 3, "place": 3, "known": 2}


def test_names_that_hide_their_content_become_no_more() -> None:
    bound = Counter(name for path in files(PACKAGE, ".py") for name in _bound(nodes(path)))
    counts = {name: bound[name] for name in LIMITS}
    too_many = {name: f"{count}, at most {LIMITS[name]}" for name, count in counts.items() if count > LIMITS[name]}
    assert not too_many, f"name new data for what it is, not {too_many}; `git diff` shows what is new"
    if counts != LIMITS:
        warnings.warn(f"names became fewer: write LIMITS = {counts} in tests/lint/test_names_of_data.py", stacklevel=1)

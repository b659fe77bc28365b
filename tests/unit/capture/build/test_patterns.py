"""Patterns of classes that match nothing."""

from __future__ import annotations

from navitas.capture.build.patterns import unused_in_all


def test_a_pattern_that_one_module_uses_is_not_named() -> None:
    app = {"a.A": "no class matches the exclude pattern 'a.A' (nearest: a.AB)", "b.B": "no class matches 'b.B'"}
    library = {"a.A": "no class matches the exclude pattern 'a.A'", "c.C": "no class matches 'c.C'"}
    assert unused_in_all([app, library]) == [app["a.A"]]
    assert unused_in_all([app]) == [*app.values()]
    assert unused_in_all([app, {}]) == []

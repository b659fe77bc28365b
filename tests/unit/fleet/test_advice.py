"""Texts of actions, and the clients on which apps have bugs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from navitas.fleet.advice import ActionRow
from navitas.fleet.bugs import Bugs
from navitas.fleet.hogs import Hogs


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [
        ("killing org.a", "", "bug"),
        ("running org.a on wifi alone", "network mobile", "bug where network mobile"),
        ("upgrading the OS to 14", "os 13", "bug of org.a where os 13"),
    ],
)
def test_the_reason_names_the_app_unless_the_action_does(text: str, where: str, why: str) -> None:
    values: dict[str, object] = dict.fromkeys(ActionRow.columns()) | {"app": "org.a", "kind": "bug", "text": text, "where": where}
    assert ActionRow(**values).why == why  # type: ignore[arg-type]


def test_affected_clients_have_bugs_of_apps_that_are_no_hogs() -> None:
    none = np.zeros(5)
    app, client = np.array([3, 1, 3, 2, 1]), np.array([10, 11, 12, 13, 14])
    bugs = Bugs(client=client, app=app, **dict.fromkeys(set(Bugs.__dataclass_fields__) - {"client", "app"}, none))  # type: ignore[arg-type]
    hogs = SimpleNamespace(app=np.arange(4), is_hog=np.array([True, False, True, False]))
    assert {app: clients.tolist() for app, clients in bugs.affected(cast("Hogs", hogs)).items()} == {1: [11, 14], 3: [10, 12]}

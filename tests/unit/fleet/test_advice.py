"""Texts of actions, and the clients on which apps have bugs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet.diagnoses.advice import ActionRow, saved_on_client
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.statistics import Contrast


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


def test_a_change_saves_the_same_part_of_a_clients_drain_as_of_all_clients() -> None:
    exact = Contrast(3.0, 0.0, 50.0)
    assert saved_on_client(exact, 4.0, 0.5, (7.0, 8.0, 10.0)) == pytest.approx((5.25, 6.0, 7.5))
    low, middle, high = saved_on_client(Contrast(3.0, 0.3, 50.0), 4.0, 0.5, (7.0, 8.0, 10.0))
    assert low < 5.25 and middle == pytest.approx(6.0) and high > 7.5


@given(st.floats(0.01, 100), st.floats(0, 5), st.floats(0.01, 50), st.floats(0.05, 1), st.tuples(*[st.floats(0.01, 40)] * 3))
def test_a_change_never_saves_more_than_killing_the_app(
    less: float, error: float, usual: float, share: float, parts: tuple[float, float, float]
) -> None:
    ends = (parts[0], parts[0] + parts[1], sum(parts))
    saved = saved_on_client(Contrast(less, error, 20.0), usual, share, ends)
    assert all(one * share <= end * (1 + 1e-9) for one, end in zip(saved, ends, strict=True))
    assert saved[0] <= saved[1] <= saved[2]

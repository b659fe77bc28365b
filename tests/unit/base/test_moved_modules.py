"""Former names of modules lead to modules that there are."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from navitas.base.moved_modules import FORMER_NAMES, present_name


@pytest.mark.parametrize("former", FORMER_NAMES)
def test_a_former_name_leads_to_a_module(former: str) -> None:
    present = present_name(former)
    assert present is not None and _is_there(present) and not _is_there(former)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # its package is missing
        return False


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("navitas.device.instrumentation", "navitas.android.instrumentation"),
        ("navitas.collect.topology", "navitas.capture.collect.readings.topology"),
        ("navitas.analyze.load", "navitas.energy.analyze.load"),
        ("navitas.report.registry", None),
        ("json.decoder", None),
        (None, None),
    ],
)
def test_the_present_name(former: str | None, present: str | None) -> None:
    assert present_name(former) == present

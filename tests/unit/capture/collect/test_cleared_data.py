"""Installed apps whose data the tests clear are named before the first run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from app_phone import APP, TESTS, AppPhone, Warnings
from support.bundle_maker import ANDROID_FILES, ANDROID_MANIFEST, make

from navitas.capture.bundle.reader import Bundle, open_bundle
from navitas.capture.collect.apps.installing import warn_of_cleared_data


def clearing(tmp_path: Path, *, clears: bool = True) -> Bundle:
    manifest = ANDROID_MANIFEST | {"orchestrator": True, "clear_package_data": clears}
    return open_bundle(make(tmp_path / "a.zip", ANDROID_FILES | {"bundle.json": json.dumps(manifest)}))


@pytest.mark.parametrize(("having", "names"), [({APP}, APP), ({APP, TESTS}, f"{APP}, {TESTS}")])
def test_an_installed_app_that_loses_its_data_is_a_warning(tmp_path: Path, having: set[str], names: str) -> None:
    progress = Warnings()
    ((_, message, remedy),) = warn_of_cleared_data(AppPhone(having={None: having}), [clearing(tmp_path)], progress)
    assert message.startswith(f"{names}: installed before, and loses its data") and "remove clearPackageData" in remedy
    assert progress.texts == [f"{message} [{remedy}]"]


def test_an_app_that_was_not_there_has_no_data_to_lose(tmp_path: Path) -> None:
    assert warn_of_cleared_data(AppPhone(having={}), [clearing(tmp_path)], Warnings()) == []


def test_a_build_that_clears_nothing_needs_no_look(tmp_path: Path) -> None:
    device = AppPhone()
    assert warn_of_cleared_data(device, [clearing(tmp_path, clears=False)], Warnings()) == [] and device.commands == []

"""Fixtures of the live comparisons (`make accuracy`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.lab_fixtures import bundles, daemons, gradle, sample, sampler

from navitas.capture.device.adb import AdbDevice
from navitas.virtual_phone.start import virtual_phone

__all__ = ["bundles", "daemons", "gradle", "sample", "sampler"]


@pytest.fixture(scope="session")
def phone() -> Iterator[AdbDevice]:
    """A virtual phone whose apps use all compilers, as a user's do."""
    with virtual_phone() as device:
        yield device

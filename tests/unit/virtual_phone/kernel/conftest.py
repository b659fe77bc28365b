"""Small phones with round figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_fakes import ONE_SPEED, FakeSource

from navitas.virtual_phone.kernel.spec import ClusterSpec, PhoneSpec


@pytest.fixture
def small_phone() -> PhoneSpec:
    """Two small cores (capacity 256) and one big (1024)."""
    little = ClusterSpec((0, 1), (500_000, 1_000_000), (10.0, 30.0), 5.0, 256.0)
    big = ClusterSpec((2,), (1_000_000, 2_000_000), (100.0, 400.0), 20.0, 1024.0)
    return PhoneSpec("small", Path("small.xml"), 4.0, 8.0, 40.0, (little, big))


@pytest.fixture
def one_speed() -> PhoneSpec:
    return ONE_SPEED


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()

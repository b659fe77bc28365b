"""The tests of tests/unit/virtual_phone/kernel/test_host_slices.py that start processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_fakes import FakeSource
from support.command_line import eventually
from support.fake_tracefs import FakeTracefs
from test_host_slices import PID, SPEC

from navitas.virtual_phone.kernel.host_slices import HostSlices
from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.modelled_slices import ModelledSlices


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    root = tmp_path / "tracefs"
    root.mkdir()
    (tmp_path / "phone").mkdir()
    kernel = Kernel(SPEC, tmp_path / "phone", source=FakeSource(), tracefs=FakeTracefs(root))
    kernel.start()
    yield kernel
    kernel.stop()


def test_the_kernel_traces_the_host_and_leaves_nothing_behind(kernel: Kernel, tmp_path: Path) -> None:
    instances = tmp_path / "tracefs/instances"
    log, left = kernel.start_trace(), kernel.start_trace()
    assert isinstance(log.source, HostSlices) and len(list(instances.iterdir())) == 2
    kernel.add_process(PID)
    assert eventually(lambda: all(str(PID) in (folder / "set_event_pid").read_text().split() for folder in instances.iterdir()))
    kernel.stop_trace(log)
    kernel.stop_trace(log)
    assert left.end_ns == left.start_ns and isinstance(kernel.start_trace().source, HostSlices)
    assert len(list(instances.iterdir())) == 2
    kernel.stop()
    assert not list(instances.iterdir())


def test_slices_are_modelled_if_the_host_refuses_tracing(kernel: Kernel, tmp_path: Path) -> None:
    (tmp_path / "tracefs/events/header_page").unlink()
    log = kernel.start_trace()
    assert isinstance(log.source, ModelledSlices) and not list((tmp_path / "tracefs/instances").iterdir())

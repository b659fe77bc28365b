"""JVM options for tests that judge what a program does and not what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

# A test's process ends before a second compiler or a parallel collector would pay off.
# An Android app starts in half the CPU time.
QUICK_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


@contextmanager
def quick_jvms() -> Iterator[None]:
    """All JVMs that are started within, or by a virtual phone that is started within, compile once. Each prints a line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", " ".join(QUICK_JVM))
        yield

"""JVM options for tests that do not measure time or energy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

# A test's process ends before a second compiler or a parallel collector would pay off.
# An Android app then starts in half the CPU time.
QUICK_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


@contextmanager
def quick_jvms() -> Iterator[None]:
    """All JVMs started in the context, or by a virtual phone started in it, use one compiler. Each JVM prints a line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", " ".join(QUICK_JVM))
        yield

"""The type of pytest's fixture `capsys`."""

import pytest

Capture = pytest.CaptureFixture[str]

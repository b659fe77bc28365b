"""The tests of tests/unit/android/test_binary_xml.py that start processes."""

from __future__ import annotations

import logging
import subprocess
import sys

from test_binary_xml import COMPILED, FILES


def test_reading_compiled_xml_does_not_change_logging() -> None:
    code = (
        "import logging; from navitas.android import binary_xml\n"
        f"binary_xml.parse(open({str(COMPILED / FILES[0])!r}, 'rb').read())\n"
        "assert not logging.getLogger().handlers and logging.getLogger().level == logging.WARNING"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert logging.getLogger("navitas").disabled is False

"""The tests of tests/unit/virtual_phone/kernel/test_kernel_spec.py that start processes."""

from __future__ import annotations

import subprocess
import sys


def test_the_reference_loads_nothing_of_the_estimate() -> None:
    code = (
        "import sys, navitas.virtual_phone.kernel\n"
        "assert not [m for m in sys.modules if m.startswith(('navitas.power', 'navitas.attribute', 'navitas.parse'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

"""The tests of tests/unit/virtual_phone/kernel/test_kernel_spec.py that start processes."""

from __future__ import annotations

import subprocess
import sys


def test_the_reference_loads_nothing_of_the_estimate() -> None:
    code = (
        "import sys, navitas.virtual_phone.kernel.live_kernel\n"
        "refused = ('navitas.power', 'navitas.energy', 'navitas.recording')\n"
        "assert not [name for name in sys.modules if name.startswith(refused)]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

"""Root's right to read every file, given up by a process of a test."""

from __future__ import annotations

import ctypes
import sys

# linux/capability.h
_VERSION_3 = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2


def obey_file_modes() -> None:
    """From now on file modes hold for this process, also where it is root's. Raises `OSError`."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    # Effective, permitted and inheritable, for capabilities 0 to 31 and then for the others.
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    sets[0] &= ~(1 << _DAC_OVERRIDE | 1 << _DAC_READ_SEARCH)
    if libc.capset(header, sets) != 0:
        raise OSError(ctypes.get_errno(), "capset")

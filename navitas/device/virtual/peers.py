"""Who is at the other end of a loopback connection: the phone serves its own user alone."""

from __future__ import annotations

import os
from pathlib import Path

_TABLE = Path("/proc/net/tcp")
_LOOPBACK = "0100007F"


def is_own(peer_port: int, own_port: int, table: Path = _TABLE) -> bool:
    """Whether the process that connected from `peer_port` belongs to this user (root may always).

    Without Linux's table of connections (proc_net_tcp(5)) there is no telling, and everyone on this machine is let in.
    """
    try:
        lines = table.read_text("ascii").splitlines()[1:]
    except OSError:
        return True
    wanted = (f"{_LOOPBACK}:{peer_port:04X}", f"{_LOOPBACK}:{own_port:04X}")
    for line in lines:
        columns = line.split()
        if len(columns) > 7 and (columns[1], columns[2]) == wanted:
            return int(columns[7]) in (os.getuid(), 0)
    return False

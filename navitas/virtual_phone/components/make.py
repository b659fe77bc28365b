"""Make the components of a phone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from navitas.virtual_phone.components.app_counters import AppCounters
from navitas.virtual_phone.components.component_rails import ComponentRails
from navitas.virtual_phone.components.device_state import DeviceState
from navitas.virtual_phone.components.devices import Devices
from navitas.virtual_phone.components.network import NetworkCounters
from navitas.virtual_phone.components.sock_diag import SockDiag
from navitas.virtual_phone.components.storage import StorageCounters, is_on_block_device

_log = logging.getLogger(__name__)


def make_devices(
    state: DeviceState,
    rails: ComponentRails,
    root: Path,
    *,
    uid_of: Callable[[int], int],
    logged_bytes: Callable[[int], int],
) -> Devices:
    """Return the components of a phone with its files in `root`. `logged_bytes` is what a process wrote to the log."""
    network = _network(uid_of)

    def elsewhere(pid: int) -> int:
        return logged_bytes(pid) + (network.payload_by_pid.get(pid, (0, 0))[1] if network else 0)

    storage = StorageCounters(is_on_block_device(root), elsewhere)
    return Devices(state, rails, network, storage, shown=AppCounters(root))


def _network(uid_of: Callable[[int], int]) -> NetworkCounters | None:
    try:
        return NetworkCounters(SockDiag(), uid_of)
    except OSError as error:
        _log.warning("the phone counts no network traffic: %s", error.strerror or error)
        return None

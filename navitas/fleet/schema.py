"""The columns of stored samples, and the numbers of clients, buckets and months."""

from __future__ import annotations

import hashlib
import sys
from enum import IntEnum
from importlib.abc import MetaPathFinder

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.statistics import I64

PPM = 1_000_000
"""A full battery, in ppm."""
SCHEMA_VERSION = 1
"""The version of JSON results."""
NETWORKS = ("none", "wifi", "mobile")


class State(IntEnum):
    """The state of the battery (Android: BatteryManager.BATTERY_STATUS_*)."""

    UNKNOWN = 0
    DISCHARGING = 1
    CHARGING = 2
    FULL = 3


SAMPLES = pa.schema(
    [
        pa.field("client", pa.int64(), nullable=False),
        pa.field("time_s", pa.int64(), nullable=False),
        pa.field("level_ppm", pa.int32(), nullable=False),
        pa.field("state", pa.int8(), nullable=False),
        pa.field("voltage_mv", pa.int32()),
        pa.field("temperature_dc", pa.int16()),
        pa.field("screen", pa.bool_()),
        pa.field("network", pa.string()),
        pa.field("cpu", pa.float32()),
        pa.field("model", pa.string()),
        pa.field("os", pa.string()),
        pa.field("uptime_s", pa.int32()),
        pa.field("apps", pa.list_(pa.int32()), nullable=False),
        pa.field("foreground", pa.int32()),
        pa.field("screen_on_ms", pa.int64()),
        pa.field("mobile_ms", pa.int64()),
        pa.field("wifi_ms", pa.int64()),
        pa.field("brightness", pa.float32()),
        pa.field("saver", pa.bool_()),
        pa.field("foreground_apps", pa.list_(pa.int32())),
        pa.field("foreground_ms", pa.list_(pa.int64())),
        pa.field("running_apps", pa.list_(pa.int32())),
        pa.field("running_ms", pa.list_(pa.int64())),
    ]
)
"""A row is one reading of one phone.

`client` is a number (`client_number`), `time_s` Unix time, `level_ppm` of a full battery, `temperature_dc` in tenths of a
degree. `apps` are numbers of packages (an app in a version), ascending and unique. A part is ordered by client, then time.
"""

PACKAGES = pa.schema(
    [pa.field(name, kind, nullable=False) for name, kind in (("id", pa.int32()), ("app", pa.string()), ("version", pa.string()))]
)
"""Apps and their versions. An empty version is unknown."""
PACKAGES_LIMIT = 1 << 22
"""Most packages of a fleet. Together with a client's million samples they fit into the kernel's sorted numbers."""


class _WithoutPandas(MetaPathFinder):
    """Does as if pandas was not installed."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def before_arrays() -> None:
    """Keep Arrow from importing pandas at its first array, which takes 0.2 s and loses signals. For processes of commands alone.

    After it, Arrow takes a series of pandas for any sequence until `to_pandas` is used.
    """
    hiding = _WithoutPandas()
    sys.meta_path.insert(0, hiding)
    try:
        pa.array(np.zeros(0)), pa.array([0])  # Each of these is a place where it does.
    finally:
        sys.meta_path.remove(hiding)


def client_number(given: str, salt: str) -> int:
    """The number of a client: 64 bits, signed, of a keyed hash (BLAKE2b) of its name at the source."""
    digest = hashlib.blake2b(given.encode(), digest_size=8, key=salt.encode()).digest()
    return int.from_bytes(digest, "little", signed=True)


def pseudonym(client: int) -> str:
    """A client's number as text: 16 hexadecimal digits."""
    return f"{client & (1 << 64) - 1:016x}"


def parse_pseudonym(text: str) -> int | None:
    """The number of a pseudonym, or None if the text is not a pseudonym."""
    if len(text) != 16 or set(text) - set("0123456789abcdef"):
        return None
    return int.from_bytes(bytes.fromhex(text), signed=True)


def bucket_of(client: I64, buckets: int) -> I64:
    return np.asarray(client.view(np.uint64) % np.uint64(buckets), np.int64)


def month_of(time_s: I64) -> NDArray[np.datetime64]:
    """The UTC month of each time. As text, it is `2026-03`."""
    return np.asarray(time_s.astype("datetime64[s]").astype("datetime64[M]"))

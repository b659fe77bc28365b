"""A virtual phone's folders on this machine."""

from __future__ import annotations

import uuid
from pathlib import Path

from navitas.capture.device.adb import AdbDevice
from support.host import processes


def state_folder(device: AdbDevice) -> str:
    """Return the folder of a virtual phone, from its process's command line."""
    mine = f"data/local/tmp/{uuid.uuid4().hex}"  # other tests may run phones at the same time
    device.push(b"", f"/{mine}")
    lines = [line.split("\0") for line in processes("navitas.virtual_phone", "--state-dir").values()]
    folders = {line[line.index("--state-dir") + 1] for line in lines if "--state-dir" in line}
    (state,) = (folder for folder in folders if Path(folder, "root", mine).exists())
    device.shell(f"rm /{mine}")
    return state


def skeleton(data: Path) -> None:
    """Create the folders of an empty /data."""
    for name in ("app", "data", "local/tmp"):
        (data / name).mkdir(parents=True)

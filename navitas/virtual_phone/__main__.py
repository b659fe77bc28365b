"""`python -m navitas.virtual_phone --state-dir DIR`: run one virtual phone in its own process.

When the phone is ready, it prints one line of JSON: `{"serial": "…"}` (for `adb connect SERIAL`), or
`{"error": "…", "remedy": "…"}`. It ends when its standard input closes, or on SIGTERM.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from navitas.android.perfetto.messages import message_class
from navitas.base.errors import NavitasError
from navitas.base.little_garbage import collect_rarely
from navitas.base.owned_folder import is_marked, remove
from navitas.capture.device.local_socket import local_address, make_private
from navitas.virtual_phone.host_java import LIST_NAME, JdkList
from navitas.virtual_phone.releases import DEFAULT_SDK, VERSIONS


def main() -> int:
    """Parse arguments and run the phone. Returns exit code 1 if it cannot start."""
    parser = argparse.ArgumentParser(prog="python -m navitas.virtual_phone", description=__doc__)
    parser.add_argument("--state-dir", type=Path, required=True, help="folder for the phone's files")
    parser.add_argument("--socket", type=Path, help="socket for adb [DIR/adb/phone]; only you may have access to its folder")
    parser.add_argument("--phone", default="default", help="a power profile: name in profiles/ or path of an XML file")
    parser.add_argument("--seed", type=int, default=0, help="of the effects that no power profile contains [0]")
    parser.add_argument(
        "--activity",
        type=_spread,
        default=0.0,
        metavar="SPREAD",
        help="each thread's name scales a core's power by 1 ± SPREAD [0]",
    )
    parser.add_argument("--sdk", type=int, choices=sorted(VERSIONS), default=DEFAULT_SDK, help="its API level [%(default)s]")
    parser.add_argument("--hide-rails", action="store_true", help="show rails to apps only: by power monitors (API 35 and later)")
    parser.add_argument("--jdk", action="append", default=[], metavar="HOME", help="a JDK that bundles may use")
    parser.add_argument("--remove-state", action="store_true", help="remove the folder at the end")
    arguments = parser.parse_args()
    collect_rarely()
    try:
        make_private(arguments.state_dir)
        _run(arguments)
    except NavitasError as error:
        print(json.dumps({"error": error.message, "remedy": error.remedy}), flush=True)
        return 1
    return 0


def _run(arguments: argparse.Namespace) -> None:
    """Run the phone until it ends, and remove its folders if requested."""
    socket = arguments.socket or arguments.state_dir.absolute() / "adb" / "phone"
    try:
        for home in arguments.jdk:
            JdkList(arguments.state_dir / LIST_NAME).allow(home)
        asyncio.run(_serve(arguments, socket))
    finally:
        if arguments.remove_state:
            remove(arguments.state_dir)
            if is_marked(socket.parent):  # any other outside folder may contain more than the socket
                remove(socket.parent)


def _spread(text: str) -> float:
    """Return a number from 0 to 1."""
    try:
        spread = float(text)
    except ValueError:
        spread = -1.0
    if not 0.0 <= spread <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return spread


async def _serve(arguments: argparse.Namespace, socket: Path) -> None:
    # Imported here, after `collect_rarely`.
    from navitas.virtual_phone.adb_services import banner, router  # noqa: PLC0415
    from navitas.virtual_phone.adbd import AdbDaemon  # noqa: PLC0415
    from navitas.virtual_phone.models import make_phone  # noqa: PLC0415

    options = {"sdk": arguments.sdk, "hides_rails": arguments.hide_rails, "activity": arguments.activity}
    phone = make_phone(arguments.state_dir, arguments.phone, arguments.seed, **options)
    daemon = AdbDaemon(banner(phone), router(phone), socket)
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    await phone.start()
    try:
        await daemon.start()
        await _watch_stdin(ended)
        print(json.dumps({"serial": local_address(socket)}), flush=True)
        await asyncio.to_thread(message_class, "TraceConfig")  # Slow at the first time: the first trace does not wait for it.
        await ended.wait()
    finally:
        await daemon.stop()
        await phone.stop()


async def _watch_stdin(ended: asyncio.Event) -> None:
    """Set `ended` when our standard input closes: the parent keeps it open while it lives."""

    class Watcher(asyncio.Protocol):
        def connection_lost(self, exc: Exception | None) -> None:
            ended.set()

    await asyncio.get_running_loop().connect_read_pipe(Watcher, sys.stdin)


if __name__ == "__main__":
    sys.exit(main())

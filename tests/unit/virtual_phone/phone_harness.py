"""A virtual phone inside the test's own process, without adb and without a kernel model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from support.null_kernel import NullKernel

from navitas.virtual_phone.identity import SHELL, Identity
from navitas.virtual_phone.phone import Phone
from navitas.virtual_phone.shell.command_line import run_shell
from navitas.virtual_phone.shell.descriptors import Streams
from navitas.virtual_phone.shell.streams import Input, OutputBuffer

T = TypeVar("T")


@dataclass(frozen=True)
class Output:
    """What a command line left."""

    status: int
    stdout: bytes
    stderr: bytes


async def run(phone: Phone, command: str, stdin: bytes = b"", who: Identity = SHELL) -> Output:
    """Run a command line as the adb shell does."""
    out, err = OutputBuffer(), OutputBuffer()
    status = await run_shell(phone, command, who, Streams(Input.of_bytes(stdin), out.write, err.write))
    return Output(status, bytes(out.data), bytes(err.data))


def on_phone(root: Path, action: Callable[[Phone], Awaitable[T]], **options: Any) -> T:
    """Start a phone below `root`, do something on it, and stop it; `options` are the phone's."""

    async def main() -> T:
        root.mkdir(exist_ok=True)
        phone = Phone(root, NullKernel(), **options)
        await phone.start()
        try:
            return await asyncio.wait_for(action(phone), 60)
        finally:
            await phone.stop()

    return asyncio.run(main())


def shell(root: Path, command: str, stdin: bytes = b"") -> Output:
    """Run one command line on a fresh phone."""
    return on_phone(root, lambda phone: run(phone, command, stdin))

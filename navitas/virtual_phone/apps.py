"""Apps that run without tests, started by `am start`, `am startservice` or `monkey`, until they are stopped."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterable
from contextvars import ContextVar

from navitas.virtual_phone import android_app
from navitas.virtual_phone.am_instrument import last_lines
from navitas.virtual_phone.app_host import AppHost, Launch
from navitas.virtual_phone.host_java import StartError
from navitas.virtual_phone.host_process import HostProcess
from navitas.virtual_phone.package import Package

_DONE, _FAILED = b"done\n", b"failed "
_FATAL = 6
_ANNOUNCED_S = 2.0
"""The phone does not wait for receivers of its own broadcasts. This wait keeps the order of a script's steps."""
_ANSWERS: ContextVar[set[asyncio.Task[None]] | None] = ContextVar("answers to what a command announces", default=None)


class AppEnded(Exception):
    """The process ended before it answered."""


class AppProcess:
    """A running app. It answers requests one after another (AppSession)."""

    def __init__(self, process: HostProcess) -> None:
        self.pid = process.pid
        self._process = process
        self._lines = process.stream.lines()
        self._turn = asyncio.Lock()
        self._is_ready = False

    async def send(self, request: str) -> AsyncIterator[str]:
        """Send a request and yield the lines of its answer except the last. Raises `AppEnded`, or `StartError` if refused."""
        async with self._turn:
            if not self._is_ready:  # the first answer is for the start
                async for _ in self._answer():
                    pass
                self._is_ready = True
            self._process.write(request.encode("utf-8", "surrogateescape") + b"\n")
            async for line in self._answer():
                yield line

    async def ask(self, request: str) -> list[str]:
        """Send a request and return the lines of its answer except the last. Raises as `send`."""
        return [line async for line in self.send(request)]

    async def _answer(self) -> AsyncIterator[str]:
        async for line in self._lines:
            if line == _DONE:
                return
            if line.startswith((_FAILED, b"INSTRUMENTATION_RESULT: ")):
                raise StartError(re.sub(r"^(failed |INSTRUMENTATION_RESULT: \w+=)", "", line.decode("utf-8", "replace").strip()))
            yield line.decode("utf-8", "replace").rstrip("\n")
        raise AppEnded


class RunningApps:
    """The phone's apps that run without tests, and the processes of tests, which hear what the phone announces."""

    def __init__(self, host: AppHost) -> None:
        self._host = host
        self._running: dict[int, AppProcess] = {}  # by uid
        self._tests: set[HostProcess] = set()
        self._front = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def get(self, package: Package) -> AppProcess | None:
        """Return the app's process, if it is running."""
        return self._running.get(package.uid)

    def all(self) -> list[AppProcess]:
        """Return the processes of all running apps."""
        return list(self._running.values())

    def shown(self, package: Package) -> None:
        """Note that an app was brought to the front."""
        self._front = package.uid

    @property
    def front(self) -> AppProcess | None:
        """The running app that was last brought to the front."""
        return self._running.get(self._front)

    async def start(self, package: Package) -> AppProcess:
        """Start a new process of an app. Raises `StartError`."""
        classes = await android_app.unpack_classes(self._host, self._test_package(package))
        launch = android_app.launch(self._host, package, classes, "", [], alone=True)
        self._host.packages.kill(package.name, package.user)
        started: asyncio.Future[AppProcess] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._live(launch, started), name=f"app {package.name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await started

    async def tell(self, app: AppProcess, request: str, wait_s: float) -> None:
        """Send a request, and wait for its answer for a limited time. An app that ends or refuses it is no error."""
        await asyncio.wait({self._post(app, request)}, timeout=wait_s)

    @contextlib.asynccontextmanager
    async def hearing(self, tests: HostProcess) -> AsyncIterator[None]:
        """While the context lasts, a process of tests that takes input hears what the phone announces. It answers nothing."""
        if not tests.takes_input:
            yield
            return
        tests.write_without_waiting()
        self._tests.add(tests)
        try:
            yield
        finally:
            self._tests.discard(tests)

    def announce(self, requests: Iterable[str]) -> None:
        """Send requests to all running apps and tests, in this order, without waiting for the answers."""
        answers = _ANSWERS.get()
        for request in requests:
            for app in self._running.values():
                answer = self._post(app, request)
                if answers is not None:
                    answers.add(answer)
            for process in self._tests:
                process.write(request.encode() + b"\n")

    @contextlib.asynccontextmanager
    async def heard(self) -> AsyncIterator[None]:
        """Wait at the end, for a limited time, until apps have answered what a command in the context announced."""
        answers: set[asyncio.Task[None]] = set()
        outer = _ANSWERS.set(answers)
        try:
            yield
        finally:
            _ANSWERS.reset(outer)
        if answers:
            await asyncio.wait(answers, timeout=_ANNOUNCED_S)

    def _post(self, app: AppProcess, request: str) -> asyncio.Task[None]:
        async def ask() -> None:
            with contextlib.suppress(AppEnded, StartError):
                await app.ask(request)

        task = asyncio.create_task(ask(), name=f"request to process {app.pid}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self) -> None:
        """End all apps."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _test_package(self, package: Package) -> str:
        """Return the package whose classes an app runs: that of its tests, or its own name if it has none."""
        for other in self._host.packages.all(package.user):
            if other.apk and any(runner.target == package.name for runner in other.runners):
                return other.name
        return package.name

    async def _live(self, launch: Launch, started: asyncio.Future[AppProcess]) -> None:
        try:
            async with launch.process(self._host.processes) as process:
                app = AppProcess(process)
                self._running[launch.who.uid] = app
                started.set_result(app)
                try:
                    outputs = await asyncio.gather(*(last_lines(output) for output in (process.stderr, process.stdout)))
                    await process.wait()
                finally:
                    if self._running.get(launch.who.uid) is app:
                        del self._running[launch.who.uid]
                for text in filter(None, outputs):
                    self._host.logd.write(_FATAL, "AndroidRuntime", text, pid=process.pid)
        except OSError as error:
            if not started.done():
                started.set_exception(StartError(f"{error.filename or 'java'}: {error.strerror}"))
        except asyncio.CancelledError:
            with contextlib.suppress(asyncio.InvalidStateError):
                started.cancel()
            raise

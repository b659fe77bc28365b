"""A page in Chromium, controlled by the DevTools protocol over a pipe, without a driver program."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.browser import browser_command

_POLL_JS = """new Promise((done) => {{
  const look = () => {{ const found = {expression}; if (found) done(found); else requestAnimationFrame(look); }};
  look();
}})"""

_RUN = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"


class Session:
    """One page at a time. `console` has its log messages above the level of information, and `requests` the addresses that it
    requested."""

    def __init__(self, program: subprocess.Popen[bytes], out: int, into: int) -> None:
        self._program, self._out, self._into = program, out, into
        self._rest, self._number, self._page, self._target = b"", 0, "", ""
        self.console: list[str] = []
        self.requests: list[str] = []

    def open(self, page: Path, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Load a page instead of the one before, and wait until it is complete."""
        if self._target:
            self._call("Target.closeTarget", targetId=self._target)
            self.console.clear()
            self.requests.clear()
        self._target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._page = self._call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        # Frames of another origin run in separate processes. Watch these, too.
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Page.navigate", url=page.as_uri())
        self.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, expression: str) -> Any:
        """Return the value of a JavaScript expression. Awaits a promise."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Wait until an expression is true, and return its value."""
        while True:
            try:
                return self.run(_POLL_JS.format(expression=expression))
            except RuntimeError as error:  # the page was replaced meanwhile
                if "context was destroyed" not in str(error):
                    raise

    def press(self, key: str, code: int) -> None:
        """Press and release a key."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            more = text if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def screenshot(self) -> bytes:
        """Return the window as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command for the page."""
        return self._call(method, session=self._page, **params)

    def _call(self, method: str, *, session: str = "", **params: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                found: dict[str, Any] = answer["result"]
                return found
            self._note(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._out, 1 << 16)
            assert part, f"the browser ended with {self._program.wait()}"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        match event.get("method"):
            case "Target.attachedToTarget":
                session = params["sessionId"]
                for domain in ("Runtime", "Network", "Log"):  # answers are read, and dropped, later
                    self._number += 1
                    message = {"id": self._number, "method": f"{domain}.enable", "params": {}, "sessionId": session}
                    os.write(self._into, json.dumps(message).encode() + b"\0")
            case "Runtime.consoleAPICalled" if params["type"] not in ("log", "info", "debug", "timeEnd"):
                self.console.append(str([arg.get("value", arg.get("description")) for arg in params["args"]]))
            case "Runtime.exceptionThrown":
                self.console.append(json.dumps(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                if "GL Driver Message" not in params["entry"]["text"]:  # the driver's advice on speed
                    self.console.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])


@contextmanager
def browser_session(browser: str, profile: Path, *arguments: str) -> Iterator[Session]:
    """Start a new headless browser."""
    # Without a graphics card, WebGL needs an explicit option for software rendering.
    command = browser_command(browser, profile, "--remote-debugging-pipe", "--enable-unsafe-swiftshader", *arguments)
    their_in, our_in = os.pipe()
    our_out, their_out = os.pipe()
    # The browser reads from descriptor 3 and writes to 4. This process may use these numbers already.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (their_in, their_out)]
    program = subprocess.Popen(
        [sys.executable, "-c", _RUN, *map(str, ends), *command],
        pass_fds=ends,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for end in (their_in, their_out, *ends):
        os.close(end)
    session = Session(program, our_out, our_in)
    try:
        yield session
    finally:
        os.close(our_in)  # the browser ends with its pipe
        try:
            program.wait(timeout=30)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
        os.close(our_out)

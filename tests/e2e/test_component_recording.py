"""Traffic and states from the command line to the report: counters of Wi-Fi and storage, and the screen's energy."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from support.command_line import NAVITAS
from support.gradle_projects import JUNIT, write

import navitas
from navitas.analyze.profile import Profile
from navitas.parse.hook_calls import LOOPBACK, NETWORK
from navitas.parse.io_counters import SENT_BYTES, IoCounters, increments
from navitas.parse.parsed_recording import parse_recording
from navitas.parse.tables import RunTables
from navitas.recording.store import open_recording

UPLOADED = 3_000_000
SERVED = 4_000_000
WRITTEN = 2_000_000
SOURCE = """package p;
import java.io.*;
import java.net.*;
public class Traffic {
  void upload(int port) throws IOException, InterruptedException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      for (int i = 0; i < 30; i++) { socket.getOutputStream().write(new byte[100_000]); Thread.sleep(20); }
      socket.shutdownOutput();
      while (socket.getInputStream().read() >= 0) { }
    }
  }
  void serve() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread thread = new Thread(() -> {
        try (Socket socket = server.accept()) {
          for (int i = 0; i < 40; i++) { socket.getOutputStream().write(new byte[100_000]); Thread.sleep(5); }
        } catch (Exception e) { throw new RuntimeException(e); }
      });
      thread.start();
      try (Socket socket = new Socket("127.0.0.1", server.getLocalPort())) {
        byte[] some = new byte[50_000];
        while (socket.getInputStream().read(some) >= 0) { }
      }
      thread.join();
    }
  }
  void write(File file) throws IOException, InterruptedException {
    try (FileOutputStream out = new FileOutputStream(file)) {
      for (int i = 0; i < 20; i++) { out.write(new byte[100_000]); Thread.sleep(20); }
      out.getFD().sync();
    }
  }
}
"""
TEST = """package p;
public class TrafficTest {
  @org.junit.Test public void moves() throws Exception {
    java.io.File file = java.io.File.createTempFile("traffic", "");
    new Traffic().upload(Integer.getInteger("port"));
    new Traffic().serve();
    new Traffic().write(file);
    file.delete();
    Thread.sleep(300);
  }
}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@contextmanager
def server() -> Iterator[tuple[int, list[int]]]:
    """A server outside of the phone that counts the bytes of each connection."""
    sizes: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    size = 0
                    while data := connection.recv(1 << 16):
                        size += len(data)
                    sizes.append(size)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1], sizes
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def recorded(folder: Path, gradle: str, record: str) -> tuple[Path, list[int]]:
    if not NAVITAS.is_file():
        pytest.skip("navitas is not installed: make setup")
    with server() as (port, sizes):
        files = {
            "settings.gradle": "rootProject.name = 'traffic'\n",
            "build.gradle": f"apply plugin: 'java'\n{JUNIT}test {{ systemProperty 'port', '{port}' }}\n",
            "src/main/java/p/Traffic.java": SOURCE,
            "src/test/java/p/TrafficTest.java": TEST,
        }
        project = write(folder / "traffic", files)
        options = ["--record", record, "--sample-interval", "50", "-o", str(folder / "rec")]
        command = [str(NAVITAS), "profile", str(project), "--gradle", gradle, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
        assert done.returncode == 0, done.stderr
    return folder / "rec", sizes


def counter(run: RunTables, scope: str, medium: str) -> IoCounters:
    (found,) = (one for one in run.io_counters if (one.scope, one.medium) == (scope, medium))
    return found


def grown(counters: IoCounters) -> int:
    return int(increments(counters).growth[:, SENT_BYTES].sum())


@pytest.mark.parametrize("record", ["sampling", "both"])
def test_bytes_and_states_reach_the_report(tmp_path: Path, any_gradle: str, record: str) -> None:
    folder, sizes = recorded(tmp_path, any_gradle, record)
    assert sizes == [UPLOADED]
    parsed = parse_recording(open_recording(folder))
    (run,) = parsed.runs
    assert not parsed.losses and not [one for one in parsed.warnings if one.code in ("io_counters", "device_states")]
    assert (run.hooks is not None) == (record == "both")
    # Headers: 66 bytes for each packet of 1,448. The shell reads once more after the tests; the app sees the phone's last poll.
    on_air = grown(counter(run, "device", "wifi"))
    assert UPLOADED <= on_air <= 1.1 * UPLOADED
    # As Android's counter of a uid, the app's has what stays on the phone.
    assert 0.9 * (UPLOADED + SERVED) <= grown(counter(run, "app", "network")) <= 1.2 * (UPLOADED + SERVED)
    assert grown(counter(run, "device", "mobile")) == 0
    assert 0.9 * WRITTEN <= grown(counter(run, "app", "storage")) <= 1.1 * WRITTEN
    assert max(np.diff(counter(run, "app", "network").t_ns)) < 10**9, "readings at an interval, not only at the ends"
    if run.hooks is not None:
        moved = {kind: int(run.hooks.amount[run.hooks.kind == kind].sum()) for kind in (*NETWORK, *LOOPBACK)}
        assert [*moved.values()] == [0, UPLOADED, SERVED, SERVED]
    states = run.device_states
    assert states is not None and states.app_uid >= 10_000
    (begin,), (end,), (value,), _ = states.intervals("screen")
    assert (begin <= run.start_ns, end >= run.end_ns, value) == (True, True, 1)
    assert states.has("brightness") and states.has("wifi")
    model, rails = navitas.load(folder, evidence="model"), navitas.load(folder)
    levels = {one.component: one.level for one in model.evidence}
    assert (levels["screen"], levels["wifi"]) == ("states", "hooks" if record == "both" else "counters")
    on_wifi = model.ledger.transfers.component == model.ledger.components.index("wifi")
    assert float(model.ledger.transfers.sent_bytes[on_wifi].sum()) <= 1.02 * on_air
    reasons = {reason.code for one in model.evidence if one.component == "wifi" for reason in one.reasons}
    assert ("loopback" in reasons) == (record == "both") and ("bytes_not_carried" in reasons) == (record == "sampling")
    assert energies(model, "screen") and energies(rails, "storage")
    assert largest(model, "wifi") == "java.net.Socket#write"
    assert largest(rails, "storage") == "java.io.FileOutputStream#write"


def energies(profile: Profile, component: str) -> float:
    """The energy of a component in the recording, in joules."""
    (found,) = (one for one in profile.evidence if one.component == component)
    return found.rails_j or found.unscaled_j or 0.0


def largest(profile: Profile, component: str) -> str:
    """The method with the most energy of a component."""
    number = profile.components.index(component)
    rows = [row for test in profile.tests for thread in test.threads for row in thread.methods]
    method = profile.method_table.methods[max(rows, key=lambda row: row.components[number]).method]
    return f"{method.class_name}#{method.name}"

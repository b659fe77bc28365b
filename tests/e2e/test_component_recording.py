"""Traffic and states from the command line to the report: counters of Wi-Fi and storage, and the screen's energy."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support.command_line import NAVITAS
from support.gradle_projects import java_project

import navitas
from navitas.energy.analyze.profile import Profile
from navitas.recording.parse.hook_calls import LOOPBACK, NETWORK
from navitas.recording.parse.io_counters import SENT_BYTES, IoCounters, increments
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.parse.tables import RunTables
from navitas.recording.store import open_recording

UPLOADED = 3_000_000
SERVED = 4_000_000
WRITTEN = 2_000_000
SOURCE = """package p;
import java.io.*;
import java.net.*;
import java.nio.file.*;
public class Traffic {
  void upload(int port) throws Exception {
    long before = Phone.sent();
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSendBufferSize(100_000);
      Thread release = Phone.releasesOnceSent(port, before + 10_000);
      socket.getOutputStream().write(new byte[1_000_000]);
      release.join();
      for (int i = 0; i < 20; i++) { socket.getOutputStream().write(new byte[100_000]); Thread.sleep(10); }
      while (Phone.sent() < before + 30 * 100_000) { Thread.sleep(5); }
      socket.shutdownOutput();
      while (socket.getInputStream().read() >= 0) { }
    }
  }
  void serve() throws Exception {
    long before = Phone.sent();
    try (ServerSocket server = new ServerSocket(0)) {
      Thread thread = new Thread(() -> {
        try (Socket socket = server.accept()) {
          for (int i = 0; i < 40; i++) { socket.getOutputStream().write(new byte[100_000]); }
          while (Phone.sent() < before + 40 * 100_000) { Thread.sleep(5); }
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
  void write(File file) throws Exception {
    long before = Phone.written();
    try (FileOutputStream out = new FileOutputStream(file)) {
      for (int i = 0; i < 20; i++) { out.write(new byte[100_000]); Thread.sleep(10); }
      out.getFD().sync();
    }
    Files.copy(new Pieces(), file.toPath(), StandardCopyOption.REPLACE_EXISTING);
    while (Phone.written() < before + 19 * 100_000) { Thread.sleep(5); }
  }
}
"""
PIECES = """package p;
import java.io.*;
/** Four pieces of data. Each comes once the phone has counted the one before, so what copies them is open when it counts. */
class Pieces extends InputStream {
  private int left = 4;
  private long counted = -1;
  @Override public int read() { throw new UnsupportedOperationException(); }
  @Override public int read(byte[] into, int at, int length) throws IOException {
    try {
      while (Phone.written() <= counted) { Thread.sleep(5); }
      counted = Phone.written();
    } catch (Exception e) { throw new IOException(e); }
    return left-- > 0 ? Math.min(length, 8_192) : -1;
  }
}
"""
PHONE = """package p;
import java.io.File;
import java.net.Socket;
import java.nio.file.*;
/** What the phone has counted. It looks at an interval, so the tests wait for it. Its own calls are not recorded. */
class Phone {
  static long sent() throws Exception { return word("dev/socket/traffic", "(?s).*\\n\\\\d+ \\\\d+ \\\\d+ | ", 1); }
  /** Has the server read once the phone has counted this many bytes. Until then, what writes them is open. */
  static Thread releasesOnceSent(int port, long bytes) {
    Thread thread = new Thread(() -> {
      try {
        while (sent() < bytes) { Thread.sleep(5); }
        new Socket("127.0.0.1", port).close();
      } catch (Exception e) { throw new RuntimeException(e); }
    });
    thread.start();
    return thread;
  }
  static long written() throws Exception {
    return word("proc/" + new File("/proc/self").getCanonicalFile().getName() + "/io", "(?s).*\\nwrite_bytes: |\\n", 1);
  }
  static long word(String file, String separator, int index) throws Exception {
    Path path = Paths.get(System.getProperty("navitas.sysRoot"), file);
    String[] words = Files.exists(path) ? new String(Files.readAllBytes(path)).split(separator) : new String[0];
    return words.length > index ? Long.parseLong(words[index]) : 0;
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
  }
}
"""


@contextmanager
def server() -> Iterator[tuple[int, list[int]]]:
    """A server outside of the phone that counts the bytes of a connection. It reads them once there is another connection."""
    sizes: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):  # the listener is shut down
                while True:
                    with listener.accept()[0] as connection:
                        listener.accept()[0].close()
                        size = 0
                        while data := connection.recv(1 << 16):
                            size += len(data)
                        sizes.append(size)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1], sizes
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.fixture(scope="module")
def traffic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[int]]]:
    """A project whose test uses a server, and the sizes of what the server received."""
    with server() as (port, sizes):
        classes = {"Traffic": SOURCE, "Phone": PHONE, "Pieces": PIECES, "TrafficTest": TEST}
        build = f"test {{ systemProperty 'port', '{port}' }}\n"
        yield java_project(tmp_path_factory.mktemp("traffic") / "traffic", classes, build), sizes


def counter(run: RunTables, scope: str, medium: str) -> IoCounters:
    (found,) = (one for one in run.devices.io_counters if (one.scope, one.medium) == (scope, medium))
    return found


def grown(counters: IoCounters) -> int:
    return int(increments(counters).growth[:, SENT_BYTES].sum())


@pytest.mark.extended
@pytest.mark.parametrize("record", ["both", "sampling"])
def test_bytes_and_states_reach_the_report(tmp_path: Path, traffic: tuple[Path, list[int]], any_gradle: str, record: str) -> None:
    if not NAVITAS.is_file():
        pytest.skip("navitas is not installed: make setup")
    (project, sizes), folder = traffic, tmp_path / "rec"
    options = ["--gradle", any_gradle, "--exclude", "p.Phone", "--record", record, "--sample-interval", "50", "-o", str(folder)]
    done = subprocess.run([str(NAVITAS), "profile", str(project), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (sizes.pop(), sizes) == (UPLOADED, [])
    parsed = parse_recording(open_recording(folder))
    (run,) = parsed.runs
    assert not parsed.losses and not [one for one in parsed.warnings if one.code in ("io_counters", "device_states")]
    assert (run.calls.hooks is not None) == (record == "both")
    # Headers: 66 bytes for each packet of 1,448.
    on_air = grown(counter(run, "device", "wifi"))
    assert UPLOADED <= on_air <= 1.1 * UPLOADED
    # As Android's counter of a uid, the app's has what stays on the phone.
    assert 0.9 * (UPLOADED + SERVED) <= grown(counter(run, "app", "network")) <= 1.2 * (UPLOADED + SERVED)
    assert grown(counter(run, "device", "mobile")) == 0
    assert 0.9 * WRITTEN <= grown(counter(run, "app", "storage")) <= 1.1 * WRITTEN
    assert len(counter(run, "app", "network").t_ns) > 2, "readings at an interval, not only at the ends"
    if run.calls.hooks is not None:
        moved = {kind: int(run.calls.hooks.amount[run.calls.hooks.kind == kind].sum()) for kind in (*NETWORK, *LOOPBACK)}
        assert [*moved.values()] == [0, UPLOADED, SERVED, SERVED]
    states = run.devices.states
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
    # Hooks know the bytes of each call. Sampling shares a counter's growth by time among the calls that are open. The first write
    # and the copy are open while bytes are counted, on any machine. However late a counter is read, only these calls are open.
    if record == "both":
        assert users(model, "wifi")[0] == "java.net.Socket#write"
        assert users(rails, "storage")[0] == "java.io.FileOutputStream#write"
    else:
        assert {"java.net.Socket#write"} <= set(users(model, "wifi")) <= {"java.net.Socket#write", "java.net.Socket#read"}
        assert {"java.nio.file.Files#copy"} <= set(users(rails, "storage"))
        others = {"java.io.FileOutputStream#write", "java.io.FileDescriptor#sync"}
        assert set(users(rails, "storage")) <= {"java.nio.file.Files#copy", *others}


def energies(profile: Profile, component: str) -> float:
    """The energy of a component in the recording, in joules."""
    (found,) = (one for one in profile.evidence if one.component == component)
    return found.rails_j or found.unscaled_j or 0.0


def users(profile: Profile, component: str) -> list[str]:
    """The methods with energy of a component, by energy."""
    number = profile.components.index(component)
    rows = [row for test in profile.tests for thread in test.threads for row in thread.methods if row.components[number] > 0]
    rows.sort(key=lambda row: -row.components[number])
    methods = [profile.method_table.methods[row.method] for row in rows]
    return [f"{method.class_name}#{method.name}" for method in methods]

#!/usr/bin/env bash
# adbutils 2.12.0 sleeps for 10 ms when it closes a connection, and it opens one for each command. So a command of the
# device takes at least 10 ms, while the adb server on the same computer answers in less than one. Needs Python 3.9.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check adbutils==2.12.0
"$folder/venv/bin/python" - <<'PYTHON'
import socket
import statistics
import threading
import time

import adbutils

server = socket.create_server(("127.0.0.1", 0))

def answer():  # as an adb server: 4 digits of length, the request, then OKAY
    while True:
        connection, _ = server.accept()
        connection.recv(int(connection.recv(4), 16))
        connection.sendall(b"OKAY00040029")  # version 41
        connection.close()

threading.Thread(target=answer, daemon=True).start()
client = adbutils.AdbClient("127.0.0.1", server.getsockname()[1])
asked, closed = [], []
for _ in range(20):
    begin = time.perf_counter()
    connection = client.make_connection()
    connection.send_command("host:version")
    connection.check_okay()
    assert connection.read_string_block() == "0029"
    asked.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    connection.close()
    closed.append(time.perf_counter() - begin)
ask_ms, close_ms = (1000 * statistics.median(times) for times in (asked, closed))
print(f"adbutils 2.12.0: asked and answered in {ask_ms:.1f} ms, then closed in {close_ms:.1f} ms")
assert close_ms >= 10
PYTHON

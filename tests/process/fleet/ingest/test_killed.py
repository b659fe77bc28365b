"""A run that is killed at any moment and repeated gives the same bytes, and counts no row twice."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from support.fleet_samples import NOW_S, json_lines, row, stored

from navitas.fleet.ingest import ingest_files
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.store import Store

# Forks after the imports, so that children start fast. Children end by themselves: a timer's signal ends a process as kill
# does, and so does SIGKILL at a counted file operation.
_DRIVER = """
import os, signal, sys
from pathlib import Path
from navitas.fleet.ingest import ingest_files

ingest_files.GROUP_SOURCES = 2  # of three
fleet, now_s, moments, operations, renames, *files = sys.argv[1:]
every = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")

def child(delay_s, operation, counted):
    left = [operation]
    def hook(event, _):
        if event in counted:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    signal.setitimer(signal.ITIMER_REAL, delay_s)
    done = list(ingest_files.ingest(Path(fleet), [Path(file) for file in files], client="{name}", now_s=float(now_s)))
    os._exit(0 if not any(one.error for one in done) else 1)

plans = [(0.0, int(one), every) for one in operations.split()] + [(0.0, int(one), every[1:2]) for one in renames.split()]
plans += [(float(one), 0, ()) for one in moments.split()]
for plan in plans:
    pid = os.fork()
    if not pid:
        child(*plan)
    status = os.waitpid(pid, 0)[1]
    print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)
"""


def test_killed_at_any_moment_and_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest_files, "GROUP_SOURCES", 2)
    files = _files(tmp_path)
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    for fleet in (straight, killed):
        Store.create(fleet, buckets=3, salt="s")
    outcomes = list(ingest(straight, files, client="{name}", now_s=NOW_S))
    assert sum(one.accepted for one in outcomes) == len(stored(straight)) > 1000
    chance = random.Random()
    # A group takes about 80 operations. A dozen of them rename files, and most of these store the group.
    operations = " ".join(str(chance.randint(1, 70)) for _ in range(5))
    renames = " ".join(str(chance.randint(1, 15)) for _ in range(5))
    moments = " ".join(f"{chance.uniform(0.01, 0.4):.3f}" for _ in range(2))
    arguments = [str(killed), str(NOW_S), moments, operations, renames, *map(str, files)]
    made = subprocess.run([sys.executable, "-c", _DRIVER, *arguments], capture_output=True, text=True, check=False)
    context = f"{operations} / {renames} / {moments}: {made.stdout.split()} {made.stderr}"
    assert set(made.stdout.split()) <= {"0", "9", "14"} and len(made.stdout.split()) == 12, context
    assert {"9", "14"} & set(made.stdout.split()), context
    list(ingest(killed, files, client="{name}", now_s=NOW_S))
    assert _content(killed) == _content(straight), context


def _files(folder: Path) -> list[Path]:
    first = [row(f"p{i % 20}", 1_700_000_000 + i * 4000, i % 101, apps=[f"a{i % 30}@{i % 7}"]) for i in range(900)]
    second = [row(f"p{i % 25}", 1_700_000_000 + i * 4000, i % 101, apps=[f"b{i % 9}"]) for i in range(900)]
    (folder / "phone.txt").write_text(
        "9,h,0:RESET:TIME:1700000000000\n" + "".join(f"9,h,60000,Bl={100 - i % 100},Bs=d\n" for i in range(200))
    )
    return [
        json_lines(folder / "a.jsonl", [*first, row(level=101), "{"]),
        json_lines(folder / "b.jsonl", second),
        folder / "phone.txt",
    ]


def _content(fleet: Path) -> dict[str, bytes]:
    return {str(file.relative_to(fleet)): file.read_bytes() for file in fleet.rglob("*") if file.is_file()}

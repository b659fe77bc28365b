"""The tests of tests/unit/fleet/test_resuming.py that start processes."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from test_resuming import copied, samples

from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.files import FleetError, read_table
from navitas.fleet.stages import brought_up_to_date

# Forks when all is imported, so that each child costs no start of Python. A child is killed when it touches a file for the n-th
# time, or by its parent after a part of the time that a whole pass takes.
_DRIVER = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from navitas.fleet import cells, paper_sums
from navitas.fleet.asked import Asked
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.stages import brought_up_to_date
from navitas.fleet.store import Store

def work(path):
    store = Store.open(path)
    engine = DuckDbEngine(store.work / "spill", threads=1)
    fleet = brought_up_to_date(store, engine)
    cells.brought_up_to_date(fleet, Asked.of_apps(np.arange(0, 100, 7), {}))
    paper_sums.brought_up_to_date(fleet)
    engine.close()

def child(path, operation):
    pid = os.fork()
    if not pid:
        left = [operation]
        def hook(event, _):
            if event in ("open", "os.rename", "os.mkdir"):
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(hook)
        work(path)
        os._exit(0)
    return pid

def ended(pid):
    status = os.waitpid(pid, 0)[1]
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

straight, killed, moments, operations = sys.argv[1:]
begin = time.monotonic()
outcomes = [ended(child(Path(straight), 0))]
whole = time.monotonic() - begin
for operation in operations.split():
    outcomes.append(ended(child(Path(killed), int(operation))))
for moment in moments.split():
    pid = child(Path(killed), 0)
    time.sleep(float(moment) * whole)
    os.kill(pid, signal.SIGKILL)
    outcomes.append(ended(pid))
outcomes.append(ended(child(Path(killed), 0)))
print(*outcomes)
"""


def content(path: Path) -> dict[str, object]:
    """All files; tables as rows in order, for what threads make comes in any."""
    found: dict[str, object] = {}
    for file in path.rglob("*"):
        if file.suffix == ".parquet" and not file.name.startswith("."):
            table = read_table(file)
            found[str(file.relative_to(path))] = table.sort_by(
                [(name, "ascending") for name in table.column_names[:3]]
            ).to_pylist()
        elif file.is_file():
            found[str(file.relative_to(path))] = file.read_bytes()
    return found


def test_killed_at_any_moment_and_run_again(samples: Path, tmp_path: Path) -> None:
    for name in ("straight", "killed"):
        copied(samples, tmp_path / name)
    chance = random.Random()
    operations = " ".join(str(chance.randint(3, 60)) for _ in range(5))
    moments = " ".join(f"{chance.uniform(0.02, 0.4):.3f}" for _ in range(5))
    arguments = [str(tmp_path / "straight"), str(tmp_path / "killed"), moments, operations]
    made = subprocess.run([sys.executable, "-c", _DRIVER, *arguments], capture_output=True, text=True, timeout=120, check=False)
    told = f"{operations} / {moments}: {made.stdout} {made.stderr}"
    outcomes = made.stdout.split()
    assert len(outcomes) == 12 and set(outcomes) <= {"0", "9"} and outcomes[0] == outcomes[-1] == "0" and "9" in outcomes, told
    expected, found = content(tmp_path / "straight"), content(tmp_path / "killed")
    assert found.keys() == expected.keys(), told
    assert [name for name in expected if found[name] != expected[name]] == [], told


def test_one_process_at_a_time_computes(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    engine = DuckDbEngine(store.work / "spill", threads=1)
    fleet = brought_up_to_date(store, engine)
    hold = "import sys; from pathlib import Path; from navitas.fleet.store import only_writer\n"
    hold += "with only_writer(Path(sys.argv[1])): print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdin is not None
        other.stdout.readline()
        brought_up_to_date(store, engine)
        fleet.jobs[0].usage.unlink()
        with pytest.raises(FleetError, match="is writing to it"):
            brought_up_to_date(store, engine)
        other.stdin.close()
    brought_up_to_date(store, engine)
    assert fleet.jobs[0].usage.exists()

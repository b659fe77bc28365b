"""The tests of tests/unit/fleet/test_resuming.py that start processes."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_resuming import copied, samples

from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.files import FleetError, read_table
from navitas.fleet.stages import bring_up_to_date

# Forks after the imports, so that children start fast. A child is killed at its n-th file operation, or by its parent after
# a fraction of the time of a whole run.
_DRIVER = """
import os, signal, sys, time
from pathlib import Path
import numpy as np
from navitas.fleet.diagnoses import strata
from navitas.fleet.paper import paper_sums
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.diagnoses.strata import request_for
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.stages import bring_up_to_date
from navitas.fleet.store import Store

def work(path):
    store = Store.open(path)
    engine = DuckDbEngine(store.work / "spill", threads=1)
    fleet = bring_up_to_date(store, engine)
    request = request_for(fleet, find_hogs(fleet), np.arange(0, 100, 7), {})
    strata.bring_up_to_date(fleet, strata.SUSPECTS, request)
    paper_sums.bring_up_to_date(fleet)
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
    """All files, with tables as columns of sorted rows, because threads write rows in any order."""
    found: dict[str, object] = {}
    for file in path.rglob("*"):
        if file.suffix == ".parquet" and not file.name.startswith("."):
            table = read_table(file)
            ordered = table.sort_by([(name, "ascending") for name in table.column_names[:3]])
            found[str(file.relative_to(path))] = ordered.to_pydict()
        elif file.is_file():
            found[str(file.relative_to(path))] = file.read_bytes()
    return found


def same(one: object, other: object) -> bool:
    """Whether two files have the same content. The order of rows in other files decides how sums round."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one == other
    return one.keys() == other.keys() and all(
        column == other[name] or _close(column, other[name]) for name, column in one.items()
    )


def _close(one: list[object], other: list[object]) -> bool:
    floats = all(isinstance(value, float) for value in [*one, *other])
    return floats and len(one) == len(other) and np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)


def test_killed_at_any_moment_and_run_again(samples: Path, tmp_path: Path) -> None:
    for name in ("straight", "killed"):
        copied(samples, tmp_path / name)
    chance = random.Random()
    operations = " ".join(str(chance.randint(3, 60)) for _ in range(4))
    moments = " ".join(f"{chance.uniform(0.02, 0.4):.3f}" for _ in range(2))
    arguments = [str(tmp_path / "straight"), str(tmp_path / "killed"), moments, operations]
    made = subprocess.run([sys.executable, "-c", _DRIVER, *arguments], capture_output=True, text=True, check=False)
    context = f"{operations} / {moments}: {made.stdout} {made.stderr}"
    outcomes = made.stdout.split()
    assert len(outcomes) == 8 and set(outcomes) <= {"0", "9"} and outcomes[0] == outcomes[-1] == "0" and "9" in outcomes, context
    expected, found = content(tmp_path / "straight"), content(tmp_path / "killed")
    assert found.keys() == expected.keys(), context
    assert [name for name in expected if not same(found[name], expected[name])] == [], context


def test_one_process_at_a_time_computes(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    engine = DuckDbEngine(store.work / "spill", threads=1)
    fleet = bring_up_to_date(store, engine)
    hold = "import sys; from pathlib import Path; from navitas.fleet.store import exclusive_writer\n"
    hold += "with exclusive_writer(Path(sys.argv[1])): print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdin is not None
        other.stdout.readline()
        bring_up_to_date(store, engine)
        fleet.jobs[0].file("usage").unlink()
        with pytest.raises(FleetError, match="is writing to it"):
            bring_up_to_date(store, engine)
        other.stdin.close()
    bring_up_to_date(store, engine)
    assert fleet.jobs[0].file("usage").exists()

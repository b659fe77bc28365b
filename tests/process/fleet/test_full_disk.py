"""A command reports a full disk. Repeated with free space, it gives the same result as an undisturbed run."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

from support.command_line import NAVITAS
from support.fleet_samples import json_lines, row

from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import Store

_ROOM = [0, 400, 3_000, 20_000]
"""Size limits of a file in bytes: the first allows nothing, the last almost everything."""


def test_ingest_on_a_full_disk(tmp_path: Path) -> None:
    file = json_lines(
        tmp_path / "a.jsonl", [row(f"p{i % 20}", 1_700_000_000 + i * 4000, i % 101, apps=["a@1"]) for i in range(900)]
    )
    straight, narrow = (Store.create(tmp_path / name, buckets=3, salt="s").path for name in ("straight", "narrow"))
    assert _navitas("ingest", straight, file).returncode == 0
    ended = [_navitas("ingest", narrow, file, room=room) for room in _ROOM]
    codes = [one.returncode for one in ended]
    assert codes[0] == 4 and codes[-1] == 0 and set(codes) == {0, 4}
    _check_reports(ended)
    assert _files(narrow) == _files(straight)


def test_stages_on_a_full_disk(tmp_path: Path) -> None:
    straight, narrow = (Store.create(tmp_path / name, buckets=2, salt="s") for name in ("straight", "narrow"))
    for store in (straight, narrow):
        simulate(store, FleetModel(clients=30, samples=10_000, apps=100, hog_share=0.2), seed=3)
    ended = [_navitas("diagnose", narrow.path, "--json", "-", room=room) for room in _ROOM[::2]]
    assert ended[0].returncode == 4
    _check_reports(ended)
    found = [
        json.loads(_navitas("diagnose", store.path, "--json", "-").stdout, parse_float=_digits) for store in (straight, narrow)
    ]
    assert found[0] == found[1] and found[0]["actions"]


def _digits(text: str) -> float:
    """Return a number with 12 digits: the last ones of a sum depend on where its array lies in memory."""
    return float(f"{float(text):.12g}")


def _navitas(command: str, *arguments: object, room: int | None = None) -> subprocess.CompletedProcess[str]:
    limit: Callable[[], None] | None = None
    environment = dict(os.environ)
    if room is not None:
        bounds = room, resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, bounds)  # noqa: E731
        environment.pop("COVERAGE_PROCESS_START", None)  # it would have no room for its data either
    words = [str(NAVITAS), "fleet", command, *map(str, arguments)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, preexec_fn=limit)


def _check_reports(ended: list[subprocess.CompletedProcess[str]]) -> None:
    for one in ended:
        assert "Traceback" not in one.stderr
        if one.returncode:
            assert "cannot be written" in one.stderr and "Free some space" in one.stderr, one.stderr


def _files(store: Path) -> dict[str, bytes]:
    return {str(file.relative_to(store)): file.read_bytes() for file in store.rglob("*") if file.is_file()}

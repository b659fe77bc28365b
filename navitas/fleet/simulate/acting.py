"""Simulates a second period, in which some users follow advice and stop apps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from navitas.base.regular_files import check_regular, read_regular
from navitas.fleet import layout
from navitas.fleet.files import FleetError, one_line, read_table, write_table, write_whole
from navitas.fleet.findings.rates import plain_column
from navitas.fleet.schema import parse_pseudonym
from navitas.fleet.simulate.catalog import DAY_S, catalog_of, generator
from navitas.fleet.simulate.simulation import Plan, Stops, clear_pieces, period_into, read_model
from navitas.fleet.stages import Progress, no_progress
from navitas.fleet.statistics import I64
from navitas.fleet.store import Store, exclusive_writer

_PLACE = 1 << 22
_LARGEST_CLAIM = 1 << 16
_LARGEST_ADVICE = 1 << 30


def read_advice(file: Path) -> pa.Table:
    """Read columns client and app from CSV or Parquet. Raises `FleetError` if the file is unreadable or lacks one."""
    as_texts = pyarrow.csv.ConvertOptions(column_types={"client": pa.string(), "app": pa.string()})
    try:
        if check_regular(file).st_size > _LARGEST_ADVICE:
            raise FleetError(f"{file}: larger than {_LARGEST_ADVICE >> 20} MiB", "Give only the advice: columns client, app.")
        if file.suffix == ".parquet":
            table = read_table(file)
            return pa.table({"client": table["client"], "app": table["app"].cast(pa.string())})
        table = pyarrow.csv.read_csv(file, convert_options=as_texts)
        return pa.table({name: plain_column(table[name]) for name in ("client", "app")})
    except (OSError, KeyError, pa.ArrowException) as error:
        raise FleetError(
            f"{file}: not a list of clients and apps: {one_line(error)}", "Give a table with columns client, app."
        ) from error


def act(
    store: Store, advice: pa.Table, *, compliance: float = 0.8, jobs: int = 1, progress: Progress = no_progress
) -> tuple[int, int]:
    """Simulate the period after the advice (columns client, app). Returns its begin and end (Unix time in s).

    Clients are named by pseudonym, as in results, or by number, as in `truth`. Clients of the group *advised* stop each
    named app with probability `compliance`; the *control* group stops none. Writes `truth/acted.parquet` (a row per
    client) and `truth/advice.parquet` (a row per piece of advice).

    Raises `FleetError` if the store is not simulated, has acted on other advice, or lacks a client or app of the advice.
    """
    with exclusive_writer(store.path):
        return _second_period(store, advice, compliance, jobs, progress)


def _second_period(store: Store, advice: pa.Table, compliance: float, jobs: int, progress: Progress) -> tuple[int, int]:
    model, seed = read_model(store)
    folder = store.path / layout.TRUTH
    before = read_table(folder / "clients.parquet")
    catalog = catalog_of(model, seed)
    client, app = _pairs(store, advice, before, {catalog.app_name(number): number for number in range(model.apps)})
    group = np.array(before["group"].to_pylist(), object)
    advised = np.isin(client, before["client"].to_numpy()[group == "advised"])
    follows = advised & (generator(seed, _PLACE).random(len(client)) < compliance)
    late = -(-(int(np.max(before["last_s"].to_numpy())) + DAY_S - model.start_s) // DAY_S) * DAY_S
    plan = Plan(model, seed, catalog, 1, late, Stops(client[follows], app[follows]))
    _claim(store, plan.digest())
    after, _ = period_into(store, plan, jobs=jobs, progress=progress)
    group = np.where(np.isin(before["client"].to_numpy(), client), group, "not advised")
    names = [catalog.app_name(number) for number in app.tolist()]
    write_table(folder / "advice.parquet", pa.table({"client": client, "app_id": app, "app": names, "followed": follows}))
    acted = {
        "client": before["client"],
        "group": pa.array(group, pa.string()),
        "before_ppm_s": before["rate_ppm_s"],
        "after_ppm_s": after["rate_ppm_s"],
        "unfollowed_ppm_s": after["rate_unfollowed_ppm_s"],
        "seconds": after["seconds"],
    }
    write_table(folder / "acted.parquet", pa.table(acted))
    clear_pieces(store)
    return model.start_s + late, int(np.max(after["last_s"].to_numpy()))


def _claim(store: Store, digest: str) -> None:
    """Reserve the one second period of the store for this advice."""
    file = store.path / layout.TRUTH / "acting.json"
    if not file.exists():
        write_whole(file, json.dumps({"parts": digest}).encode() + b"\n")
        return
    try:
        claimed = json.loads(read_regular(file, _LARGEST_CLAIM))
    except (OSError, ValueError, RecursionError) as error:
        raise FleetError(f"{file}: cannot be read: {error}", "Simulate another fleet.") from error
    if claimed != {"parts": digest}:
        raise FleetError(f"{store.path}: its clients acted on other advice", "Simulate another fleet for this advice.")


def _pairs(store: Store, advice: pa.Table, before: pa.Table, numbers: dict[str, int]) -> tuple[I64, I64]:
    """The advice in order of client and app, without duplicates."""
    apps, known = advice["app"].to_pylist(), set(before["client"].to_pylist())
    unknown = sorted(set(apps) - numbers.keys())
    if unknown:
        raise FleetError(f"{store.path}: no simulated app is called {unknown[0]!r}", "Give advice from this store's results.")
    clients = [next((number for number in _clients(name) if number in known), None) for name in advice["client"].to_pylist()]
    if None in clients:
        name = advice["client"][clients.index(None)].as_py()
        raise FleetError(f"{store.path}: no client {name!r}, which the advice names", "Give advice from this store's results.")
    pairs = np.unique(np.array([clients, [numbers[app] for app in apps]], np.int64).reshape(2, -1), axis=1)
    return pairs[0], pairs[1]


def _clients(name: str | int | None) -> Iterator[int | None]:
    """Candidates for a name: a pseudonym with digits only also reads as a number."""
    text = "" if name is None else str(name)
    yield parse_pseudonym(text)
    yield int(text) if re.fullmatch(r"-?[0-9]{1,19}", text) else None

"""Users who act on advice: a second period, in which some of them no longer run what they were told to stop."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from navitas.fleet import layout
from navitas.fleet.files import FleetError, read_table, write_table, write_whole
from navitas.fleet.formulas import plain_column
from navitas.fleet.schema import I64, client_of
from navitas.fleet.simulate.bucket import Period, Plan, Stops
from navitas.fleet.simulate.catalog import Bool, catalog_of
from navitas.fleet.simulate.model import DAY_S, generator
from navitas.fleet.simulate.simulation import Told, clear_pieces, period_into, read_model
from navitas.fleet.store import Store, only_writer
from navitas.regular_files import check_regular, read_regular

_PLACE = 1 << 22
_LARGEST_CLAIM = 1 << 16
_LARGEST_ADVICE = 1 << 30
NOT_ADVISED = "not advised"


def read_advice(file: Path) -> pa.Table:
    """A table of columns client, app, from CSV or Parquet. FleetError when it cannot be read or lacks one."""
    as_texts = pyarrow.csv.ConvertOptions(column_types={"client": pa.string(), "app": pa.string()})
    try:
        if check_regular(file).st_size > _LARGEST_ADVICE:
            raise FleetError(f"{file}: is larger than {_LARGEST_ADVICE >> 20} MiB", "Give the advice alone: columns client, app.")
        if file.suffix == ".parquet":
            table = read_table(file)
            return pa.table({"client": table["client"], "app": table["app"].cast(pa.string())})
        table = pyarrow.csv.read_csv(file, convert_options=as_texts)
        return pa.table({name: plain_column(table[name]) for name in ("client", "app")})
    except (OSError, KeyError, pa.ArrowException) as error:
        raise FleetError(f"{file}: is no list of clients and apps: {error}", "Give a table with columns client, app.") from error


def act(
    store: Store, advice: pa.Table, *, compliance: float = 0.8, jobs: int = 1, progress: Told | None = None
) -> tuple[int, int]:
    """Simulate the period after the advice (columns client, app) into a simulated store; from and until when (Unix s) it lasts.

    Clients are named by their pseudonyms, as results do, or by their numbers, as `truth` does. Those of group *advised* stop each
    app named to them with the probability `compliance`, those of *control* none. Writes `truth/acted.parquet` (a row for each
    client) and `truth/advice.parquet` (for each piece of advice). FleetError when the store is not simulated, has acted on other
    advice, or this is for others than its clients and apps.
    """
    with only_writer(store.path):
        return _second_period(store, advice, compliance, jobs, progress)


def _second_period(store: Store, advice: pa.Table, compliance: float, jobs: int, progress: Told | None) -> tuple[int, int]:
    model, seed = read_model(store)
    folder = store.path / layout.TRUTH
    before = read_table(folder / "clients.parquet")
    catalog = catalog_of(model, seed)
    client, app = _pairs(store, advice, before, {catalog.app_name(number): number for number in range(model.apps)})
    advised = _in(client, before.filter(pa.array(np.array(before["group"].to_pylist()) == "advised"))["client"].to_numpy())
    follows = advised & (generator(seed, _PLACE).random(len(client)) < compliance)
    late = -(-(int(np.max(before["last_s"].to_numpy())) + DAY_S - model.start_s) // DAY_S) * DAY_S
    plan = Plan(model, seed, catalog, Period(1, late), Stops(client[follows], app[follows]))
    _claim(store, plan.digest())
    after, _ = period_into(store, plan, jobs=jobs, progress=progress)
    told = _in(before["client"].to_numpy(), client)
    group = np.where(told, np.array(before["group"].to_pylist(), object), NOT_ADVISED)
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
    """There is one time after the first, so one advice."""
    file = store.path / layout.TRUTH / "acting.json"
    if not file.exists():
        write_whole(file, json.dumps({"parts": digest}).encode() + b"\n")
        return
    try:
        claimed = json.loads(read_regular(file, _LARGEST_CLAIM))
    except (OSError, ValueError, RecursionError) as error:
        raise FleetError(f"{file}: cannot be read: {error}", "Simulate another fleet.") from error
    if claimed != {"parts": digest}:
        raise FleetError(f"{store.path}: other advice has been acted on", "Simulate another fleet for this one.")


def _pairs(store: Store, advice: pa.Table, before: pa.Table, numbers: dict[str, int]) -> tuple[I64, I64]:
    """Advice in order of client and app, each pair once."""
    apps, known = advice["app"].to_pylist(), set(before["client"].to_pylist())
    unknown = sorted(set(apps) - numbers.keys())
    if unknown:
        raise FleetError(f"{store.path}: no simulated app is called {unknown[0]!r}", "Give advice from this store's results.")
    clients = [next((number for number in _clients(name) if number in known), None) for name in advice["client"].to_pylist()]
    if None in clients:
        name = advice["client"][clients.index(None)].as_py()
        raise FleetError(f"{store.path}: advice for {name!r}, no client in it", "Give advice from this store's results.")
    pairs = np.unique(np.array([clients, [numbers[app] for app in apps]], np.int64).reshape(2, -1), axis=1)
    return pairs[0], pairs[1]


def _clients(name: str | int | None) -> Iterator[int | None]:
    """Which clients may be meant: a pseudonym of digits alone reads like a number."""
    text = "" if name is None else str(name)
    yield client_of(text)
    yield int(text) if re.fullmatch(r"-?[0-9]{1,19}", text) else None


def _in(client: I64, others: I64) -> Bool:
    return np.asarray(np.isin(client, others))

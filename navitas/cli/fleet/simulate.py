"""`navitas fleet simulate`: simulate a fleet with known truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.base.errors import UsageError
from navitas.base.units import counted
from navitas.cli.fleet.store_options import buckets_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import next_step, shell_word
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import NEW_LOCAL_STORE, READ_FILE, TEXT
from navitas.cli.habits.progress import bar
from navitas.cli.habits.shared_options import Finite
from navitas.fleet.simulate.acting import act, read_advice
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import BUCKETS, Store, day
from navitas.fleet.store_settings import MOST_BUCKETS

_PER_CLIENT, _PER_BUCKET, _MOST_PER_BUCKET = 1000, 100_000, 2_000_000


def _steps(ctx: click.Context, param: click.Parameter, value: str) -> tuple[tuple[int, float], ...]:
    """Parse `1=60,5=35`: steps of the level in %, with their shares."""
    try:
        pairs = [tuple(map(float, one.split("=", 1))) for one in value.split(",")]
        total = sum(share for _, share in pairs)
        return tuple((round(step * 10_000), share / total) for step, share in pairs)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise click.BadParameter(f"{value!r} is not like 1=60,5=40.", ctx, param) from error


@click.command("simulate", cls=NavitasCommand, example="navitas fleet simulate fleet --samples 100000 --seed 7")
@click.argument("folder", metavar="STORE", type=NEW_LOCAL_STORE)
@option("--samples", type=click.IntRange(2, 1_000_000_000), default=200_000, metavar="N", help="Number of samples.")
@option("--clients", type=click.IntRange(1, 10_000_000), metavar="N", help="Number of clients. [one for each thousand samples]")
@option("--seed", type=click.IntRange(0), default=1, metavar="S", help="Seed of the random numbers.")
@option("--apps", type=click.IntRange(1), default=1000, metavar="N", help="Number of apps.")
@option("--hogs", type=Finite(0, 100), default=5, metavar="P", help="% of apps that are hogs.")
@option("--bugs", type=Finite(0, 5), default=0.33, metavar="P", help="% of pairs of a client and an app with a bug.")
@option(
    "--steps",
    type=TEXT,
    callback=_steps,
    default="1=60,5=35,10=5",
    metavar="STEP=SHARE,…",
    help="Steps of the level in %, with the shares of clients.",
)
@option("--gap", type=Finite(1, 600), default=30, metavar="MINUTES", help="Time between two samples of a client.")
@option(
    "--hidden-use",
    type=Finite(0, 100),
    default=0,
    metavar="P",
    help="Weight in % of the screen state at samples for the time between samples.",
)
@option("--no-counters", is_flag=True, help="Leave out the total time with the screen on.")
@option("--dirt", is_flag=True, help="Add clock jumps, charges between samples, and missing values.")
@buckets_option("by the number of samples")
@option("--jobs", type=click.IntRange(1, 256), default=1, metavar="N", help="Number of processes.")
@option(
    "--advice",
    type=READ_FILE,
    metavar="FILE",
    help="CSV or Parquet (client, app): simulate the period after this advice in a simulated STORE.",
)
@option("--compliance", type=Finite(0, 100), default=80, metavar="P", help="% of the advice that clients follow.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    folder: Path,
    advice: Path | None,
    jobs: int,
    compliance: float,
    json_file: Path | None,
    **values: Any,
) -> None:
    """Simulate a fleet with known truth in the folder STORE. With the same options, an interrupted run continues."""
    if advice is not None:
        given = sorted(name for name in values if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE)
        if given:
            raise UsageError(
                f"--{given[0].replace('_', '-')} has no effect with --advice: the fleet in {folder} is simulated already",
                "Leave it out.",
            )
        store = Store.open(folder)
        with bar("simulating the period after the advice") as progress:
            begin, end = act(store, read_advice(advice), compliance=compliance / 100, jobs=jobs, progress=progress)
        if write_json(json_file, store=str(folder), advice_from=day(begin), advice_until=day(end)):
            click.echo(
                f"{folder}: simulated {day(begin)} to {day(end)} after the advice; see {folder / 'truth' / 'acted.parquet'}"
            )
        return
    seed = values["seed"]
    model = _model(values)
    store = Store.create(folder, buckets=values["buckets"] or _buckets(model.samples), salt=f"simulated-{seed}")
    with bar("simulating") as progress:
        simulate(store, model, seed, jobs=jobs, progress=progress)
    if not write_json(json_file, store=str(folder), samples=model.samples, clients=model.clients, seed=seed):
        return
    click.echo(f"{folder}: {counted(model.samples, 'sample')} of {counted(model.clients, 'client')}; see {folder / 'truth'}")
    next_step(f"navitas fleet hogs {shell_word(folder)}")


def _buckets(samples: int) -> int:
    """The usual number of buckets; fewer for few samples, which saves time, and more for very many, which saves memory."""
    return min(max(min(-(-samples // _PER_BUCKET), BUCKETS), -(-samples // _MOST_PER_BUCKET)), MOST_BUCKETS)


def _model(values: dict[str, Any]) -> FleetModel:
    samples, apps = values["samples"], values["apps"]
    return FleetModel(
        clients=values["clients"] or max(samples // _PER_CLIENT, 1),
        samples=samples,
        apps=apps,
        hog_share=values["hogs"] / 100,
        bug_share=values["bugs"] / 100,
        steps=values["steps"],
        gap_s=60 * values["gap"],
        hidden_use=values["hidden_use"] / 100,
        dirt=values["dirt"],
        counters=not values["no_counters"],
    )

"""`navitas fleet erase`: erase a client from a fleet."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.json_output import json_option, write_json
from navitas.cli.option import option
from navitas.cli.paths import STORE, TEXT
from navitas.fleet.erase import allow_again as accept_again
from navitas.fleet.erase import erase_client
from navitas.fleet.schema import client_number, parse_pseudonym, pseudonym
from navitas.fleet.store import Store


@click.command("erase", cls=NavitasCommand, example="navitas fleet erase fleet --client phone-7")
@click.argument("store", type=STORE, metavar="STORE")
@option("--client", type=TEXT, required=True, metavar="NAME", help="Its name as ingested, or its pseudonym.")
@option("--allow-again", is_flag=True, help="Erase nothing, and accept later samples of it again.")
@json_option
def command(*, store: Path, client: str, allow_again: bool, json_file: Path | None) -> None:
    """Erase a client: its samples, and all results, which are computed again. Later samples of it are refused."""
    opened = Store.open(store)
    given = parse_pseudonym(client)
    number = client_number(client, opened.key) if given is None else given
    if allow_again:
        before = accept_again(opened, number)
        write_json(json_file, client=pseudonym(number), samples=0, parts=0, erased_before=before)
        text = "later samples are accepted" if before else "was not erased"
        click.echo(f"{pseudonym(number)}: {text}", err=json_file is not None)
        return
    erased = erase_client(opened, number)
    write_json(json_file, client=pseudonym(number), samples=erased.samples, parts=erased.parts, erased_before=erased.before)
    again = ", which was erased before" if erased.before else ""
    click.echo(
        f"{pseudonym(number)}{again}: erased {erased.samples:,} samples; later ones are refused", err=json_file is not None
    )

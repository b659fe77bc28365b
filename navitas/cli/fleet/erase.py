"""`navitas fleet erase`: erase a client from a fleet."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.units import counted
from navitas.cli.fleet.store_options import client_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import warning
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import STORE
from navitas.fleet.erase import allow_again as accept_again
from navitas.fleet.erase import erase_client
from navitas.fleet.erased import accept_missing as accept_files_missing
from navitas.fleet.erased import unlisted_parts
from navitas.fleet.schema import pseudonym
from navitas.fleet.store import Store, client_numbers, unknown_client


@click.command("erase", cls=NavitasCommand, example="navitas fleet erase fleet --client phone-7")
@click.argument("store", type=STORE, metavar="STORE")
@client_option("Its name as ingested, or its pseudonym.")
@option("--also-unknown", is_flag=True, from_project=False, help="Also a client without stored samples: refuse its later ones.")
@option("--allow-again", is_flag=True, from_project=False, help="Erase nothing, and accept later samples of it again.")
@option("--accept-missing", is_flag=True, from_project=False, help="Erase no client: accept that files of samples are missing.")
@json_option
def command(
    *, store: Path, client: str | None, also_unknown: bool, allow_again: bool, accept_missing: bool, json_file: Path | None
) -> None:
    """Erase a client: its samples, and all results, which are computed again. Later samples of it are refused."""
    if also_unknown and allow_again:
        raise UsageError("--also-unknown and --allow-again exclude each other", "Use one of them.")
    if accept_missing and (client is not None or also_unknown or allow_again):
        raise UsageError("--accept-missing excludes --client and its options", "Use one of them.")
    if client is None and not accept_missing:
        raise UsageError("neither --client nor --accept-missing", "Name a client: --client NAME")
    opened = Store.open(store)
    if unlisted := unlisted_parts(opened):
        warning(
            f"{store}: {counted(unlisted, 'absent file')} of samples counted as erased: an earlier version listed none",
            "If you have lost one of them, restore it.",
        )
    if client is None:
        parts = accept_files_missing(opened)
        write_json(json_file, client=None, samples=0, parts=parts, erased_before=False)
        are = "is" if parts == 1 else "are"
        click.echo(f"accepted that {counted(parts, 'file')} of samples {are} missing", err=json_file is not None)
        return
    if allow_again:
        for number in client_numbers(opened, client):
            if before := accept_again(opened, number):
                break
        write_json(json_file, client=pseudonym(number), samples=0, parts=0, erased_before=before)
        accepted = "later samples are accepted; files that were ingested before are still skipped"
        click.echo(f"{pseudonym(number)}: {accepted if before else 'was not erased'}", err=json_file is not None)
        return
    for number in client_numbers(opened, client):
        if erased := erase_client(opened, number):
            break
    else:
        erased = erase_client(opened, number, also_unknown=True) if also_unknown else None
    if erased is None:
        raise unknown_client(opened, client, "To refuse samples of a client that has none yet, add --also-unknown.")
    write_json(json_file, client=pseudonym(number), samples=erased.samples, parts=erased.parts, erased_before=erased.before)
    again = ", which was erased before" if erased.before else ""
    text = f"erased {counted(erased.samples, 'sample')}; later ones are refused"
    click.echo(f"{pseudonym(number)}{again}: {text}", err=json_file is not None)

"""Finds a client or an app by the name that a user gives."""

from __future__ import annotations

from collections.abc import Collection

from navitas.fleet.files import FleetError
from navitas.fleet.schema import client_number, parse_pseudonym
from navitas.fleet.store import Store


def find_client(store: Store, text: str, known: Collection[int]) -> int:
    """The number of a client, by its name at the source or by its pseudonym. Raises FleetError."""
    number = parse_pseudonym(text)
    if number is not None and number in known:
        return number
    if (number := client_number(text, store.key)) in known:
        return number
    raise unknown_client(store, text)


def unknown_client(store: Store, text: str, more: str = "") -> FleetError:
    """The error that a store has no such client. `more` is added to the remedy."""
    remedy = "Give the name that it was ingested by, or its pseudonym from `navitas fleet jscore`."
    return FleetError(f"{store.path}: no client is called {text}", f"{remedy} {more}".rstrip())


def find_app(store: Store, text: str, known: dict[int, str]) -> int:
    """The number of an app. Raises FleetError."""
    for number, name in known.items():
        if name == text:
            return number
    raise FleetError(f"{store.path}: no sample has the app {text}", "Give its package name, such as org.example.mail.")

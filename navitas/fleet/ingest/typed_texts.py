"""Texts of many rows → columns of the input's types, by DuckDB. Rows with values that it cannot convert are marked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import duckdb
import numpy as np
import pyarrow as pa

from navitas.fleet.ingest.raw import COLUMNS, FLAGS, LATEST_S, MOST_DIGITS
from navitas.fleet.statistics import Bool

_ODD = "is odd"


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Statements run in the threads that read blocks."""
    return duckdb.connect(config={"threads": 1}).execute("SET TimeZone = 'UTC'")


class NotTaken(Exception):
    """DuckDB does not take a text."""


def query(sql: str, texts: pa.Table) -> pa.Table:
    """The result of a statement on `texts`. Raises `NotTaken`."""
    cursor = _database().cursor()
    try:
        cursor.register("texts", texts)
        return cursor.sql(sql).to_arrow_table().combine_chunks()
    except duckdb.Error as error:
        raise NotTaken(str(error)) from error
    finally:
        cursor.close()


def typed_texts(relation: str, columns: Mapping[str, str], texts: pa.Table) -> tuple[dict[str, pa.ChunkedArray], Bool]:
    """Columns in the input's types, and the rows that have a value which is not of its type. Nulls stay nulls.

    `columns` has the name in the relation for each column of the input. `relation` is SQL of texts, and of JSON for counters of
    apps, made from the table `texts`. Raises `NotTaken`.
    """
    # Two levels: at one, DuckDB would convert all times as moments, also those that are numbers, to use the results twice.
    pairs = [f"{_value(name, quoted(source))} AS {quoted(name)}, {quoted(source)} AS {quoted(f'{name} text')}"
             for name, source in columns.items()]  # fmt: skip
    odd = " OR ".join(f"({quoted(f'{name} text')} IS NOT NULL AND {quoted(name)} IS NULL)" for name in columns)
    names = ", ".join(map(quoted, columns))
    table = query(f"SELECT {names}, {odd} AS {quoted(_ODD)} FROM (SELECT {', '.join(pairs)} FROM {relation})", texts=texts)
    return {name: table[name] for name in columns}, np.asarray(table[_ODD].to_numpy(), bool)


def times(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Seconds from texts: ISO 8601, UTC without a zone, or numbers. Raises `pa.ArrowInvalid` if a text is no time."""
    columns, odd = typed_texts("texts", {"time": "time"}, pa.table({"time": texts}))
    if odd.any():
        raise pa.ArrowInvalid("not a time")
    return columns["time"]


def _value(name: str, text: str) -> str:
    if name == "time":
        number, moment = f"TRY_CAST({text} AS DOUBLE)", f"epoch_us(TRY_CAST({text} AS TIMESTAMPTZ)) / 1e6"
        return f"coalesce(if(abs({number}) > {LATEST_S}, {number} / 1000, {number}), {moment})"
    kind = COLUMNS.field(name).type
    if pa.types.is_boolean(kind):
        words = " ".join(f"WHEN '{word}' THEN {value}" for word, value in FLAGS.items())
        return f"CASE lower({text}) {words} END"
    if pa.types.is_floating(kind):
        return f"TRY_CAST({text} AS DOUBLE)"
    if pa.types.is_string(kind):  # Of JSON, these are no texts.
        large = f"{text}[1] <= '9' AND abs(TRY_CAST({text} AS DOUBLE)) >= 1e{MOST_DIGITS}"
        return f"CASE WHEN {text}[1] IN ('{{', '[') OR {text} IN ('true', 'false') OR ({large}) THEN NULL ELSE {text} END"
    if name == "apps":
        return text
    members = f"map_entries(json_transform({text}, '\"MAP(VARCHAR, VARCHAR)\"'))"
    pairs = f"list_transform({members}, lambda one: concat(one.key, '=', one.value))"
    return f"coalesce(json_transform({text}, '[\"VARCHAR\"]'), {pairs})"


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'

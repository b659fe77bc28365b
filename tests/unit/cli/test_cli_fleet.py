"""`navitas fleet`: its commands from end to end."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.schema import pseudonym


def test_a_fleet_is_simulated_and_acts_on_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store"
    make = ["fleet", "simulate", str(store), "--samples", "2000", "--clients", "20", "--buckets", "2", "--apps", "200"]
    assert run([*make, "--steps", "1=1"]) == ExitCode.OK
    assert "2,000 samples of 20 clients" in capsys.readouterr().out
    assert set(pq.read_table(store / "truth/clients.parquet")["step_ppm"].to_pylist()) == {10_000}
    assert run([*make, "--seed", "2"]) == ExitCode.TROUBLE
    assert "holds another simulation" in capsys.readouterr().err
    effects = pq.read_table(store / "truth/effects.parquet").to_pylist()
    advice = tmp_path / "advice.csv"
    with advice.open("w") as file:
        csv.writer(file).writerows([("client", "app"), *((one["client"], one["app"]) for one in effects)])
        csv.writer(file).writerows((pseudonym(one["client"]), one["app"]) for one in effects)  # as results call them
    assert run(["fleet", "simulate", str(store), "--advice", str(advice)]) == ExitCode.OK
    assert "acted.parquet" in capsys.readouterr().out
    assert pq.read_table(store / "truth/advice.parquet").num_rows == len({(one["client"], one["app"]) for one in effects})
    assert run(["fleet", "simulate", str(store), "--advice", str(advice), "--seed", "2"]) == ExitCode.USAGE
    assert "--seed has no effect" in capsys.readouterr().err
    advice.write_text("client,app\n1,org.example.none\n")
    assert run(["fleet", "simulate", str(store), "--advice", str(advice)]) == ExitCode.TROUBLE
    assert "no simulated app is called" in capsys.readouterr().err
    advice.write_text(f"client,app\nsomebody,{effects[0]['app']}\n")
    assert run(["fleet", "simulate", str(store), "--advice", str(advice)]) == ExitCode.TROUBLE
    assert "no client 'somebody', which the advice names" in capsys.readouterr().err
    advice.write_text("a,b\n1,2\n")
    assert run(["fleet", "simulate", str(store), "--advice", str(advice)]) == ExitCode.TROUBLE
    assert "not a list of clients and apps" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--steps", "x"], ["--steps", "1=0"], ["--apps", "5"], ["--samples", "1"], ["--hogs", "nan"]]
)
def test_an_impossible_fleet_is_a_usage_error(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fleet", "simulate", str(tmp_path / "store"), *arguments]) == ExitCode.USAGE
    assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "store").exists()

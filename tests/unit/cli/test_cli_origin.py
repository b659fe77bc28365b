"""The provenance of a recording, and the masking of secrets."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.capture import Capture
from support.golden import GOLDEN

from navitas.capture.build.git import Revision
from navitas.capture.build.java import java_version
from navitas.capture.bundle.manifest import BundleManifest
from navitas.capture.bundle.reader import Bundle
from navitas.cli.main import run
from navitas.cli.profile.masking import command_line, mask_secrets
from navitas.cli.workflows.origin import find_java_versions, provenance
from navitas.recording.manifest import Provenance


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["-Ppassword=x"], ["-Ppassword=***"]),
        (["-Psigning.keyPassword=a b=c"], ["-Psigning.keyPassword=***"]),
        (["--db-password", "x", "--repeat", "3"], ["--db-password", "***", "--repeat", "3"]),
        (["--API_KEY=x", "apiKey=y", "GITHUB_TOKEN=z"], ["--API_KEY=***", "apiKey=***", "GITHUB_TOKEN=***"]),
        (["am", "start", "--es", "token", "abc", "-n", "a/.B"], ["am", "start", "--es", "token", "***", "-n", "a/.B"]),
        (["am start --es token abc -n a/.B"], ["am start --es token *** -n a/.B"]),
        (["am start --es password 'a b' -n a/.B"], ["am start --es password *** -n a/.B"]),
        (["x --secret=a y"], ["x --secret=*** y"]),
        (["curl -H 'Authorization: abc'"], ["curl -H 'Authorization: ***"]),
        (["curl -H 'Authorization: Bearer abc' x"], ["curl -H 'Authorization: Bearer *** x"]),
        (["--header=Authorization: Basic abc"], ["--header=Authorization: Basic ***"]),
        (["https://jane:pw@host/a"], ["https://***@host/a"]),
        (["https://jane:p@w@host/a"], ["https://***@host/a"]),
        (['{"password": "x"}'], ['{"password": ***}']),
        (['{"token": "x\\"y", "a": 1}'], ['{"token": ***, "a": 1}']),
        (["--private-key", "-----BEGIN KEY-----\nabc", "--repeat"], ["--private-key", "***", "--repeat"]),
        (["--password", "--repeat"], ["--password", "--repeat"]),
        (["a\udcffb"], ["a\ufffdb"]),
        (["--header=Cookie: a=b; c=d"], ["--header=Cookie: ***"]),
        (["curl -H 'Cookie: a=b; c=d' x"], ["curl -H 'Cookie: *** x"]),
        (["--cookie", "a=b"], ["--cookie", "***"]),
        (["-u", "jane:pw", "x"], ["-u", "***", "x"]),
        (["--user=jane:pw", "-ujane:pw"], ["--user=***", "-u***"]),
        (["curl -u jane:p:w x"], ["curl -u *** x"]),
        (["x=ghp_" + "a1" * 18, "gho_" + "Z" * 36], ["x=***", "***"]),
        (["github_pat_" + "a_1" * 20], ["***"]),
        (["say eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl now"], ["say *** now"]),
        (["--es", "k", "AKIAIOSFODNN7EXAMPLE"], ["--es", "k", "***"]),
        (["aws_secret_access_key=wJalrXUtnFEMI/K7MDENG"], ["aws_secret_access_key=***"]),
        (["Bearer", "abc"], ["Bearer", "***"]),
        (["say Bearer abc now"], ["say Bearer *** now"]),
        (["postgres://jane:pw@db:5432/x"], ["postgres://***@db:5432/x"]),
        (["-----BEGIN RSA PRIVATE KEY-----\nabc"], ["***"]),
        (
            ["-Ppin=1", "-DsimPin=2", "--otp=3", "SIM_PIN=4", "mavenPw=5"],
            ["-Ppin=***", "-DsimPin=***", "--otp=***", "SIM_PIN=***", "mavenPw=***"],
        ),
        (["-PpassKey=x", "-PsshKey=y", "--encryption-key", "z"], ["-PpassKey=***", "-PsshKey=***", "--encryption-key", "***"]),
        (["--es", "PIN", "1234"], ["--es", "PIN", "***"]),
        (["https://h/x?se=1&sig=abc"], ["https://h/x?se=1&sig=***"]),
        (["https://h/x?a=1&X-Amz-Signature=abc"], ["https://h/x?a=1&X-Amz-Signature=***"]),
        (["app://x?session_id=abc"], ["app://x?session_id=***"]),
        (["npm_" + "a1" * 18, "sk-proj-" + "a1" * 20, "hf_" + "aB" * 17], ["***", "***", "***"]),
        # Not secrets, although their names are similar.
        (["--tests", "TokenTest#expires", "--repeat", "3"], ["--tests", "TokenTest#expires", "--repeat", "3"]),
        (["--tests", "a.b.PasswordTest", "--mode", "tick"], ["--tests", "a.b.PasswordTest", "--mode", "tick"]),
        (["--tests=TokenTest", "--exclude", "**.tokenizer.**"], ["--tests=TokenTest", "--exclude", "**.tokenizer.**"]),
        (["docker", "run", "-u", "1000:1000", "--user=0:0"], ["docker", "run", "-u", "1000:1000", "--user=0:0"]),
        (["-u", ":app:test", "-u", "https://host:80/a"], ["-u", ":app:test", "-u", "https://host:80/a"]),
        (["--tests", "a.SpinTest", "-Pcompat=17", "spin=1", "-Dpath=a", "design=b", "Pint=c"],) * 2,
        (["cookies.CookieTest", "a.b.Eyjafjalla.x"], ["cookies.CookieTest", "a.b.Eyjafjalla.x"]),
        (["--format", "json=tokens.json", "/home/jane/passport"], ["--format", "json=tokens.json", "/home/jane/passport"]),
    ],
)
def test_secrets_are_masked(arguments: list[str], shown: list[str]) -> None:
    assert mask_secrets(arguments) == shown


@given(st.lists(st.text(max_size=20), max_size=6))
def test_masked_arguments_can_be_encoded(arguments: list[str]) -> None:
    found = mask_secrets(arguments)
    assert len(found) == len(arguments)
    Provenance(command_line=found).model_dump_json().encode()


WORDS = st.sampled_from(
    [
        "app",
        "Test",
        "demo",
        "core",
        "user",
        "profile",
        "repeat",
        "a",
        "x86",
        "10",
        "Sort",
        "JSON",
        "key",
        "eyes",
        "AKIRA",
        "ghost",
        "gh",
    ]
)
NAMES = st.lists(WORDS, min_size=1, max_size=4)
ORDINARY = st.one_of(
    NAMES.map(".".join),
    NAMES.map("/".join),
    NAMES.map(lambda names: "/" + "/".join(names)),
    NAMES.map(lambda names: ":" + ":".join(names)),
    NAMES.map(lambda names: "--" + "-".join(names)),
    NAMES.map(lambda names: "-P" + ".".join(names) + "=" + names[0]),
    NAMES.map(lambda names: "".join(names) + "#" + "_".join(names)),
    NAMES.map(lambda names: "https://" + ".".join(names) + ":8080/" + "/".join(names)),
    NAMES.map(" ".join),
    st.integers().map(str),
    st.uuids().map(str),
    st.dates().map(str),
    st.binary(min_size=20, max_size=20).map(bytes.hex),
    st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){1,3}(:[0-9]{1,5})?", fullmatch=True),
    st.sampled_from(["-u", "-U", "-b", "-n", "-o", "-H", "--tests", "--device", "--", "-", "am", "start", "1000:1000"]),
)


@given(st.lists(ORDINARY, max_size=8))
def test_ordinary_arguments_are_never_changed(arguments: list[str]) -> None:
    assert mask_secrets(arguments) == arguments


@pytest.mark.parametrize("home", ["/home/alice", "/root"])
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("{}/project", "~/project"),
        ("{}", "~"),
        ("--map={}/map.json", "--map=~/map.json"),
        ("json={}/x.json", "json=~/x.json"),
        ("-o{}/x", "-o~/x"),
        ("file://{}/x", "file://~/x"),
        ("ls '{}/a b' {}", "ls '~/a b' ~"),
        ("{}/lib:{}/jar", "~/lib:~/jar"),
        ("{}-old/x", "{}-old/x"),
        ("{}.bak", "{}.bak"),
        ("{}2", "{}2"),
        ("/mnt{}/x", "/mnt{}/x"),
        ("x/{}/y", "x/{}/y"),
        ("https://host{}/x", "https://host{}/x"),
    ],
)
def test_the_home_folder_is_a_tilde(home: str, given: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    assert mask_secrets([given.replace("{}", home)]) == [shown.replace("{}", home)]


def test_a_root_or_missing_home_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert mask_secrets(["/a/b", "/"]) == ["/a/b", "/"]


def test_a_home_behind_a_link_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to("disk")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert mask_secrets([f"{tmp_path}/disk/a", f"{tmp_path}/home/b"]) == ["~/a", "~/b"]


def test_long_arguments_are_masked_in_linear_time() -> None:
    """A pattern with quadratic time would take minutes for each of these."""
    texts = (
        "password",
        "a=",
        "-",
        "x:",
        "x://",
        "token=",
        "token='",
        'token="\\\\',
        "://a@",
        'token:"',
        "token ",
        " ",
        "auth: bearer ",
        "eyJ",
        "eyJabcdefgh",
        "eyJabcdefgh.",
        "ghp_",
        "github_pat_",
        "-u a:",
        "-u ",
        "-u",
        "--user=",
        "cookie:",
        "cookie: ",
        "-----BEGIN ",
        "-----BEGIN A",
        "AKIA",
        "/root",
        "file://",
    )
    for text in texts:
        assert mask_secrets([text * 20_000])


def test_the_command_line_is_recorded() -> None:
    assert command_line() == []
    with (
        click.Context(click.Command("navitas"), obj=("profile", "--x=1", "-Ptoken=1")) as outer,
        click.Context(click.Command("profile"), parent=outer),
    ):
        assert command_line() == ["navitas", "profile", "--x=1", "-Ptoken=***"]


def test_main_passes_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr("navitas.cli.record.command.report_measured", lambda *_: seen.append(command_line()) or 0)
    assert run(["record", "a.b", "--device", "x", "--", "am", "start"]) == 0
    assert seen == [["navitas", "record", "a.b", "--device", "x", "--", "am", "start"]]


def test_this_computer_is_described_without_its_name() -> None:
    found = provenance([], ["17.0.1", "17.0.1", "11"], build_java="21", revision=Revision("a" * 40, dirty=None))
    assert found.host is not None and found.host.os and found.host.machine and found.host.cpus == os.cpu_count()
    text = found.model_dump_json()
    assert os.uname().nodename not in text.replace(found.host.os, "")
    assert json.loads(text)["java"] == {"tests": ["11", "17.0.1"], "build": "21"}
    assert json.loads(text)["git"] == {"revision": "a" * 40, "dirty": None}


@pytest.mark.parametrize(
    ("release", "version"),
    [
        ('IMPLEMENTOR="x"\nJAVA_VERSION="17.0.15"\nOS_NAME="Linux"\n', "17.0.15"),
        ('JAVA_VERSION="1.8.0_392-b08"\n', "1.8.0_392-b08"),
        ('JAVA_VERSION="17\x1b[2J"\n', None),
        ("X" * 100_000 + '\nJAVA_VERSION="17"\n', None),
        (None, None),
    ],
)
def test_the_version_of_java_is_that_of_its_release_file(tmp_path: Path, release: str | None, version: str | None) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/java").touch()
    (tmp_path / "link").symlink_to(tmp_path / "bin/java")
    if release is not None:
        (tmp_path / "release").write_text(release)
    assert java_version(tmp_path / "bin/java") == java_version(tmp_path / "link") == version


def test_the_tests_java_is_the_bundle_s_or_the_default_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = {version: tmp_path / version for version in ("11.0.1", "17.0.1", "21.0.1")}
    for version, home in homes.items():
        (home / "bin").mkdir(parents=True)
        (home / "bin/java").touch()
        (home / "release").write_text(f'JAVA_VERSION="{version}"\n')
    monkeypatch.setenv("JAVA_HOME", str(homes["21.0.1"]))

    def bundle(home: Path | None) -> Bundle:
        manifest = BundleManifest.model_construct(java_home=str(home) if home is not None else None)
        return Bundle(tmp_path, manifest, b"", tmp_path)

    assert find_java_versions([bundle(homes["11.0.1"]), bundle(homes["17.0.1"])]) == {"11.0.1", "17.0.1"}
    assert find_java_versions([bundle(None), bundle(tmp_path / "gone")]) == {"21.0.1"}
    (homes["11.0.1"] / "bin/java").chmod(0o777)
    assert find_java_versions([bundle(homes["11.0.1"])]) == {"21.0.1"}, (
        "the phone doesn't run a program that other users can change"
    )
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    assert find_java_versions([bundle(None)]) == set()


def test_a_pipe_as_release_file_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "release")
    assert java_version(tmp_path / "bin/java") is None


def report_of(recording: Path, capsys: Capture) -> dict[str, object]:
    capsys.readouterr()
    assert run(["report", str(recording), "--format", "json"]) == 0
    loaded: dict[str, object] = json.loads(capsys.readouterr().out)
    return loaded


def test_a_recording_without_provenance_reports_its_manifest(capsys: Capture) -> None:
    report = report_of(GOLDEN, capsys)
    assert report["provenance"] == {"navitas_version": "0.1.0"}
    assert report["created_utc"] == "2026-01-01T00:00:00+00:00"
    assert isinstance(report["device"], dict) and report["device"]["identity"] == ""


def test_a_recording_with_provenance_reports_it(recording: Path, capsys: Capture) -> None:
    manifest = json.loads((recording / "manifest.json").read_text())
    evil = "\x1b[2J\u202e\ud800"
    given_ = {
        "host": {"os": evil, "machine": "x86_64", "cpus": None, "new": 1},
        "java": {"tests": ["17"], "build": None},
        "git": {"revision": "a" * 40, "dirty": True},
        "command_line": ["navitas", "profile"],
    }
    (recording / "manifest.json").write_text(json.dumps(manifest | {"provenance": given_}))
    report = report_of(recording, capsys)
    assert report["provenance"] == {
        "navitas_version": "0.1.0",
        "host": {"os": evil.replace("\ud800", "?"), "machine": "x86_64"},
        "java": {"tests": ["17"]},
        "git": {"revision": "a" * 40, "dirty": True},
        "command_line": ["navitas", "profile"],
    }
    assert run(["report", str(recording), "--format", "json"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\u202e" not in out

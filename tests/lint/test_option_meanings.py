"""One name of an option has one meaning in all commands."""

from __future__ import annotations

import re
from collections import defaultdict

import click
from support.every_command import COMMANDS

SEVERAL = {
    # Where the result goes. Commands make different things.
    "--output": {
        "DIR The recording's folder.",
        "DIR Folder of recordings.",
        "DIR Folder of the experiment.",
        "OUT The folder or jar to write.",
        "FILE The report's file ('-': stdout). Without --format, its extension selects the format.",
        "FILE The graph's file ('-': stdout).",
        "FILE The census; .gz compresses it.",
        "FILE The table, as CSV ('-': stdout).",
        "FILE File of the model.",
        "FILE File of the profile.",
        "FILE Write CSV ('-': stdout).",
        "FILE Append to this file of JSON lines ('-': stdout).",
        "FILE Write all pairs to this .csv or .parquet file.",
        "FILE File of the page ('-': stdout).",
    },
    # A map of methods, and one of columns.
    "--map": {"FILE The app's map.json, or its bundle.", "COLUMN=FIELD The file's COLUMN is FIELD."},
    # The version before. A check takes several sessions of it.
    "--before": {
        "RECORDING A recording of an earlier build, to show what changed since.",
        "PATH Recordings or reports of the version before; repeatable.",
    },
    # The file with sessions that a command keeps. A baseline can be other kinds of files, too.
    "--file": {"FILE The history, which `add` creates.", "FILE A history, a folder of reports, or a JSON file."},
    # The format of what is written. A report has several files.
    # Of a profile's curves, what is read: the name of the format is that of the curves.
    "--format": {
        "NAME[=FILE] Repeatable.",
        "FORMAT Write the graph in this format.",
        "FORMAT The argument is a folder of Wattson's curves: makes a profile of them.",
    },
    # What makes a check fail. Each check has its own results.
    "--fail-on": {
        "above|unknown Fail if above, or also if unknown.",
        "bad|unknown Exit with code 1 if the behaviour of an app is bad; unknown: also if it is not known.",
        "above|unknown above: only if a version drains more. unknown: also if nothing is compared.",
    },
    # What gets nothing. Probes can leave out methods, too.
    "--exclude": {"PATTERN No probes in a.b.** or a.b.C#m; repeatable.", "PATTERN Leave out classes like a.b.**; repeatable."},
    # A bundle to use, of one app or of several modules.
    "--bundle": {"FILE A bundle of navitasBundle, not PROJECT; repeatable.", "FILE Install the app of this bundle first."},
    # What a report is about.
    "--component": {"NAME Show this component only, such as wifi.", "NAME Explain this component, such as wifi."},
    "--thread": {"NAME Show the threads of this name only.", "NAME Explain the threads of this name."},
    "--method": {
        "NAME Explain this method: Sorter.sort.",
        "default|paper paper: use the method of the Carat paper, for comparison.",
    },
    "--test": {"CLASS#METHOD The name of the test.", "NAME Explain this test: SortTest#sorts."},
    # The most of something: of text, or of a change.
    "--limit": {"CHARS Most characters to print.", "PERCENT_H Fail only if a version drains more by this many %/h."},
    # A recording to use.
    "--recording": {
        "RECORDING Recording with hooks of an app in the bug report: adds the methods of its wake locks and alarms.",
        "RECORDING Fit to the CPU's rails of a recording, or to --meter; repeatable.",
    },
    # The app that the command is about.
    "--app": {"PACKAGE Only this app.", "PACKAGE Only this app: its verdict, hog or not.", "PACKAGE Only this app; repeatable."},
    # The client that the command is about.
    "--client": {
        "NAME Client of batterystats histories; '{name}' stands for the file name.",
        "NAME Name of the phone.",
        "NAME Only this client: its name as ingested, or its pseudonym.",
        "NAME Actions for this client: its name as ingested, or its pseudonym.",
        "NAME Add actions for this client: its name as ingested, or its pseudonym.",
        "NAME Its name as ingested, or its pseudonym.",
    },
}
"""Options whose help differs by command, with their one meaning as a comment. A new text must fit the comment."""


def _meaning(option: click.Option, command: click.Command) -> str:
    """The kind of its value, and its help without defaults, which can differ."""
    record = option.get_help_record(click.Context(command))
    assert record is not None
    text = re.sub(r" ?\[[^]]*\]$", "", re.sub(r"(  ?\[[^]]*\])+$", "", (option.help or "").strip()))
    text = re.sub(r" NAME: .*", "", text)  # the formats of reports
    kind = option.metavar or ("FORMAT" if option.opts[0] == "--format" else "")
    if not kind and isinstance(option.type, click.Choice):
        kind = "|".join(option.type.choices)
    return f"{kind} {text}".strip()


def test_an_option_has_one_meaning() -> None:
    meanings: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                meanings[max(option.opts, key=len)][_meaning(option, command)].append(name)
    several = {option: dict(by) for option, by in meanings.items() if len(by) > 1}
    assert {option: by for option, by in several.items() if set(by) != SEVERAL.get(option)} == {}
    assert set(SEVERAL) == set(several), "leave out what has one text"

"""Rules that all tests keep."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from source_tree import TESTS, files, text


def test_names_of_test_modules_are_unique() -> None:
    """Pytest imports a test module by its file name alone."""
    names = Counter(path.name for path in files(TESTS, ".py") if path.name.startswith("test_"))
    assert not [name for name, count in names.items() if count > 1]


def test_every_test_that_sends_sigint_restores_its_default_action() -> None:
    sends = re.compile(r"(kill|send_signal|interrupt)\(.*\bsignal\.SIGINT|Signals = signal\.SIGINT|\[.*\bsignal\.SIGINT.*\]")
    others = (Path(__file__).name, "test_interruptible.py")
    senders = {path.name: text(path) for path in files(TESTS, ".py") if path.name not in others and sends.search(text(path))}
    assert {"command_line.py", "test_owned_folder.py", "test_fleet_engines.py", "test_phone_state.py"} <= set(senders)
    # `start` of support.command_line uses it for all its callers.
    missing = {name for name, code in senders.items() if "interruptible()" not in code and "command_line import" not in code}
    assert missing == set()


def test_scripts_add_the_folder_of_helpers_before_they_import_one() -> None:
    """Pytest adds it for tests, so only a script itself fails."""
    imports = re.compile(r"^from (?:support|truth)[. ]", re.MULTILINE)
    scripts = {path: text(path) for path in files(TESTS, ".py") if "\nsys.path.insert(" in text(path)}
    early = [path for path, code in scripts.items() if imports.search(code[: code.index("\nsys.path.insert(")])]
    assert scripts and early == []

"""The one command after a report can be run as it is."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

import pytest
from support.messenger_profile import COMMAND_LINE, SECOND_NS, messenger, polls, waits

from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Notice
from navitas.insight.verdict.figures import Figures
from navitas.insight.verdict.next_step import NextStep
from navitas.insight.verdict.verdict import verdict_of


def step(profile: Profile) -> NextStep:
    return verdict_of(Figures(profile)).next_step


def line(*tests: object, command_line: Sequence[str] | None = COMMAND_LINE) -> str:
    return step(messenger(*tests, command_line=command_line)).line("my rec")  # type: ignore[arg-type]


def test_one_run_is_repeated_with_the_options_of_the_recording() -> None:
    assert line(polls()) == "navitas profile app --tests 'Inbox*' --repeat 5"


def test_several_runs_lead_to_the_largest_method() -> None:
    assert line(polls(0), polls(1)) == "navitas explain 'my rec' --method org.example.Inbox.poll"
    assert step(messenger(polls(0), polls(1))).line() == "navitas explain RECORDING --method org.example.Inbox.poll"


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        (polls(status="failed"), "measure again when all tests pass and end"),
        (polls(starved_ns=SECOND_NS, waited_ns=SECOND_NS), "measure again after stopping other programs on this computer"),
    ],
)
def test_a_bad_run_is_measured_again(test: object, reason: str) -> None:
    found = step(messenger(test))  # type: ignore[arg-type]
    assert (found.line(), found.reason) == ("navitas profile app --tests 'Inbox*'", reason)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["navitas", "profile", "my-app", "--output=x", "--repeat=3"], "navitas profile my-app --repeat 5"),
        (["navitas", "profile", "~/my@app", "-orec"], "navitas profile ~/my@app --repeat 5"),
        (["navitas", "profile", "my app", "--tests=A B"], "navitas profile PROJECT --tests 'A B' --repeat 5"),
        (["navitas", "profile", "app", "--json", "-", "--html=x.html", "--isolate"], "navitas profile app --isolate --repeat 5"),
        (["navitas", "profile", "app", "--pass", "***"], "navitas profile PROJECT --repeat 5"),
        (None, "navitas profile PROJECT --repeat 5"),
        (
            ["navitas", "record", "org.x", "-o", "rec"],
            "navitas explain 'my rec' --method org.example.Inbox.poll",
        ),
        (
            ["navitas", "record", "org.x", "--duration", "5", "-o", "rec"],
            "navitas explain 'my rec' --method org.example.Inbox.poll",
        ),
        (["navitas", "import", "log.txt", "-o", "rec"], "navitas explain 'my rec' --method org.example.Inbox.poll"),
    ],
)
def test_commands_of_all_kinds_are_made_again(words: list[str] | None, text: str) -> None:
    assert line(polls(), command_line=words) == text


@pytest.mark.parametrize(
    "words",
    [
        ["rm", "demo", "-rf", "/"],
        ["rm", "profile", "-rf"],
        ["curl", "profile", "https://x", "https://y"],
        ["navitas", "profile", "app", "--gradle", "/tmp/evil"],
        ["navitas", "profile", "app", "--gradle=/tmp/evil"],
        ["navitas", "profile", "app", "--tests", "--gradle=/tmp/evil"],
        ["navitas", "profile", "app", "--tests"],
        ["navitas", "profile", "app", "--tests", "a\nrm -rf ~"],
        ["navitas", "profile", "app", "--isolate=x"],
        ["navitas", "profile", "app", "-qx"],
        ["navitas", "profile", "app", "-"],
        ["navitas", "profile", "app; rm -rf ~"],
        ["navitas", "profile", "app\nrm -rf ~"],
        ["navitas", "profile", "$(curl x)"],
        ["navitas", "profile", {"x": 1}],
        ["navitas", "record", "org.x", "--", "rm", "-rf", "/sdcard"],
    ],
)
def test_a_recording_chooses_no_program(words: list[str]) -> None:
    made = messenger(polls(status="failed"), command_line=words)
    assert step(made).line() == ("navitas record PACKAGE" if "record" in words else "navitas profile PROJECT")


def test_the_program_is_always_navitas() -> None:
    made = messenger(polls(status="failed"), command_line=["rm", "record", "org.x", "--device", "a; rm -rf ~"])
    assert step(made).line() == "navitas record org.x --device 'a; rm -rf ~'"
    unknown = messenger(polls(status="failed"), command_line=["rm", "-rf", "demo"])
    assert step(unknown).line().startswith("navitas explain")


@pytest.mark.parametrize("words", [["import", "log.txt"], ["record", "--java", "--", "java", "-jar", "x.jar"]])
def test_what_no_command_measures_again_is_explained(words: list[str]) -> None:
    assert line(polls(status="failed"), command_line=["navitas", *words]).startswith("navitas explain")


def test_wide_intervals_of_few_runs_lead_to_more_runs() -> None:
    few, many = (messenger(*(polls(number, 1.0 + 90 * (number % 2)) for number in range(count))) for count in (2, 6))
    assert step(few).line() == "navitas profile app --tests 'Inbox*' --repeat 5"
    assert "noise" in {limit.rule for limit in verdict_of(Figures(few)).limits}
    assert "--repeat" not in step(many).line()


def test_a_starved_phone_is_left_to_cool_down() -> None:
    starved = messenger(polls(starved_ns=SECOND_NS, waited_ns=SECOND_NS))
    starved.about = replace(starved.about, device={"kind": "phone", "model": "Made"})
    assert step(starved).reason == "measure again on an idle, cool device"


def test_a_command_without_a_trace_is_repeated_with_one() -> None:
    for words in (["--trace", "none"], ["--trace=none"]):
        assert line(polls(), command_line=["navitas", "profile", "app", *words]) == "navitas profile app --repeat 5"
    assert "--trace auto" in line(polls(), command_line=["navitas", "profile", "app", "--trace", "auto"])


def test_what_rails_measured_and_no_hook_recorded_leads_to_hooks() -> None:
    made = messenger(polls())
    made.ledger = replace(made.ledger, runs=(replace(made.ledger.runs[0], unrecorded_j=(("wifi", 3.0),)),))
    assert step(made).line() == "navitas profile app --tests 'Inbox*' --record hooks"
    assert "unrecorded" in {limit.rule for limit in verdict_of(Figures(made)).limits}
    made.about = replace(made.about, settings={"granularity": "test"})
    assert "hooks" not in step(made).line()


def probed(command_line: Sequence[str] = COMMAND_LINE) -> Profile:
    """Return a profile whose probes used 11 % of the energy of the app's threads."""
    main, *others = polls().threads
    nodes = (replace(main.nodes[0], probes_j=1.1), *main.nodes[1:])  # 10 J in all
    return messenger(polls(threads=(replace(main, nodes=nodes), *others)), command_line=command_line)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["app", "--repeat", "3"], "navitas profile app --mode sample"),
        (["app", "--mode", "tick", "--baseline", "--tests=A"], "navitas profile app --tests A --mode sample"),
        (["app", "--mode=folded", "--record=hooks"], "navitas profile app --record sampling --mode sample"),
        (["app", "--record", "sampling"], "navitas profile app --record sampling --mode sample"),
        (["app", "--no-test-probes", "--include", "a.**", "--exclude=b.**"], "navitas profile app --mode sample"),
    ],
)
def test_costly_probes_lead_to_samples(words: list[str], text: str) -> None:
    assert step(probed(["navitas", "profile", *words])).line() == text


def test_probes_that_hide_the_energy_lead_to_samples() -> None:
    runs = []
    for repeat, poll_j in enumerate((1.0, 91.0)):
        main, *others = polls(repeat, poll_j).threads
        nodes = (replace(main.nodes[0], probes_j=0.2 * main.energy_j), *main.nodes[1:])
        runs.append(polls(repeat, threads=(replace(main, nodes=nodes), *others)))
    made = messenger(*runs)
    assert {"noise", "probes"} <= {limit.rule for limit in verdict_of(Figures(made)).limits}
    assert step(made).line().endswith("--mode sample")


def test_samples_are_not_proposed_where_there_are_none() -> None:
    on_phone = probed()
    on_phone.about = replace(on_phone.about, device={"kind": "phone", "model": "Made"})
    for made in (on_phone, probed(["navitas", "record", "org.x"]), messenger(polls())):
        assert "--mode sample" not in step(made).line()


def test_tests_that_see_probes_lead_to_samples() -> None:
    made = messenger(polls(status="failed"))
    made.warnings = (Notice.with_code("probes_seen", "", ""),)
    assert step(made).line() == "navitas profile app --tests 'Inbox*' --mode sample"


def test_no_test_leads_to_the_doctor() -> None:
    assert line(waits(wall_ns=0, threads=(), base_j=0.0)) == "navitas doctor"


def test_hostile_names_stay_one_word() -> None:
    hostile = "a'; rm -rf ~ $(x)\n"
    words = shlex.split(NextStep(("navitas", "explain", "RECORDING", "--method", hostile), "").line(hostile))
    assert len(words) == 5 and words[2] == words[4] and "\n" not in words[4]

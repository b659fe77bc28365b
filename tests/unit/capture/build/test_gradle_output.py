"""What error messages show of Gradle's output."""

from __future__ import annotations

from navitas.capture.build.gradle_results import TAIL_LINES, GradleOutput

DOWNLOAD = """Downloading https://services.gradle.org/distributions/gradle-8.13-bin.zip

Exception in thread "main" java.net.UnknownHostException: services.gradle.org
"""


def test_the_frames_of_a_stack_trace_do_not_hide_its_cause() -> None:
    output = GradleOutput(lambda _: None)
    frames = [
        f"\tat java.base/sun.net.www.protocol.http.HttpURLConnection.getInput{n}(HttpURLConnection.java:{n})" for n in range(30)
    ]
    for line in (*DOWNLOAD.splitlines(), *frames, "\tat org.gradle.wrapper.Download$Proxy.<init>(Download.java:1)"):
        output(line)
    assert output.tail() == DOWNLOAD.splitlines()


def test_other_lines_stay() -> None:
    output = GradleOutput(lambda _: None)
    lines = [f"line {n}" for n in range(TAIL_LINES)] + ["  at line 3: error (a)"]
    for line in lines:
        output(line)
    assert output.tail() == lines[-TAIL_LINES:]

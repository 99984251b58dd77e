from __future__ import annotations

import io
import re
import signal
import sys

import pytest

from evolore.__main__ import main
from evolore.cli.add import AddDisplay, summary
from evolore.flows.add import Added, SourceFailure


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool) -> str:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    with AddDisplay(quiet=quiet) as display:
        display(
            "/somewhere/page.md",
            documents_done=1,
            documents=4,
            bytes_done=3_100_000,
            bytes_total=9_800_000,
            bytes_skipped=0,
        )
    assert display.seconds >= 0
    return stream.getvalue()


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = shown(Terminal(), monkeypatch, quiet=False)
    assert "page.md" in bar
    assert "1 of 4, 3.1 MB of 9.8 MB" in bar


def test_json_and_pipes_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(Terminal(), monkeypatch, quiet=True) == ""
    assert shown(io.StringIO(), monkeypatch, quiet=False) == ""


def test_a_pipe_gets_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, times = io.StringIO(), iter([0.0, *range(4, 400, 4)])
    monkeypatch.setattr(sys, "stderr", stream)
    with AddDisplay(quiet=False, clock=lambda: float(next(times))) as display:
        for step in range(1, 13):
            told(display, done=100_000 * step, total=2_000_000)
    assert stream.getvalue().splitlines() == [
        "1 of 4 documents, 300.0 kB of 2.0 MB, 0:01:08 left; now log.md",
        "1 of 4 documents, 600.0 kB of 2.0 MB, 0:00:56 left; now log.md",
        "1 of 4 documents, 900.0 kB of 2.0 MB, 0:00:44 left; now log.md",
        "1 of 4 documents, 1.2 MB of 2.0 MB, 0:00:32 left; now log.md",
    ]


def told(display: AddDisplay, *, done: int, total: int, skipped: int = 0) -> None:
    display(
        "/somewhere/log.md", documents_done=1, documents=4, bytes_done=done, bytes_total=total, bytes_skipped=skipped
    )


def test_the_time_left_counts_what_was_embedded_and_not_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, times = io.StringIO(), iter([0.0, 10.0, 20.0, 30.0])
    monkeypatch.setattr(sys, "stderr", stream)
    with AddDisplay(quiet=False, clock=lambda: next(times)) as display:
        told(display, done=1_100_000, total=2_000_000, skipped=1_000_000)
        told(display, done=1_900_000, total=2_000_000, skipped=1_800_000)
        told(display, done=20, total=0)
    assert [re.findall(r"\d:\d\d:\d\d left|documents", line) for line in stream.getvalue().splitlines()] == [
        ["documents", "0:01:30 left"],
        ["documents"],
        ["documents"],
    ]


def test_a_request_to_end_stops_as_the_keyboard_does(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)

    def end() -> None:
        with AddDisplay(quiet=False) as display:
            display("/somewhere/page.md", documents_done=1, documents=4, bytes_done=0, bytes_total=9, bytes_skipped=0)
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt):
        end()
    assert stream.getvalue().startswith("1 of 4 documents are in the store, whole")


def test_the_summary_counts_what_failed() -> None:
    added = Added(failures=(SourceFailure(source="a", reason="a is empty"),))
    assert summary(added, 1.25) == "Documents: 0 added, 1 failed. New passages: 0. 1.2 s."


def test_the_module_runs_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["evolore", "--version"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith("evolore ")

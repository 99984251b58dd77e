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
        display("/somewhere/page.md", documents_done=1, documents=4, leaves_done=3, leaves=6)
    assert display.seconds >= 0
    return stream.getvalue()


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = shown(Terminal(), monkeypatch, quiet=False)
    assert "page.md" in bar
    assert "1/4" in bar
    assert "-:--:--" in bar
    assert "left" in bar


def test_json_and_pipes_get_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(Terminal(), monkeypatch, quiet=True) == ""
    assert shown(io.StringIO(), monkeypatch, quiet=False) == ""


def test_a_pipe_gets_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, times = io.StringIO(), iter([0.0, *range(4, 400, 4)])
    monkeypatch.setattr(sys, "stderr", stream)
    with AddDisplay(quiet=False, clock=lambda: float(next(times))) as display:
        for leaves in range(1, 13):
            display("/somewhere/log.md", documents_done=1, documents=4, leaves_done=100 * leaves, leaves=2_000)
    lines = stream.getvalue().splitlines()
    assert 2 <= len(lines) <= 6
    assert re.fullmatch(r"1 of 4 documents, 0:\d\d:\d\d left; now log\.md \(\d00 of 2,000 passages\)", lines[0])


def test_a_request_to_end_stops_as_the_keyboard_does(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)

    def end() -> None:
        with AddDisplay(quiet=False) as display:
            display("/somewhere/page.md", documents_done=1, documents=4, leaves_done=0, leaves=0)
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

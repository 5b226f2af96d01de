"""The summary: counted once, in words, in tables as wide as the terminal, as a page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from anypatch.replay import Summary, replay
from anypatch.replay.judge import OPEN, OTHER, REFUSED, SAME, Verdict
from anypatch.replay.tracker import Case
from support.replays import TRANSCRIPTS, edit


def summary_of(*verdicts: Verdict) -> Summary:
    """Return the summary of failed calls with these verdicts."""
    summary = Summary()
    summary.transcripts["Claude Code"] += 1
    for number, verdict in enumerate(verdicts):
        summary.add(Case(edit("a", "b", "no", id=f"{number}"), None, {}, []), lambda _, verdict=verdict: verdict)  # type: ignore[misc]
    return summary


def test_numbers_add_up() -> None:
    summary = summary_of(
        Verdict(SAME, "x"), Verdict(OTHER, "x"), Verdict(OPEN, "y"), Verdict(REFUSED, "y", ("not_found",))
    )
    value = summary.as_json()
    assert value["failed"] == {"failed": 4, "replayed": 4, "applied": 3, "same": 1, "other": 1, "open": 1, "refused": 1}
    assert {cause: counts["applied"] for cause, counts in value["by_cause"].items()} == {"x": 2, "y": 1}
    assert value["by_model"] == {"Claude Code: a-model": value["failed"]}
    assert len(value["failed_calls"]) == 4 and value["refused_because_of"] == {"not_found": 1}
    text = "\n".join(summary.lines())
    assert (
        "would have applied 3 of the 4 failed calls that can be replayed: 1 as the model had the file later, 1 otherwise, 1 with nothing to compare."
        in text
    )


def test_nothing_failed() -> None:
    summary = Summary()
    summary.transcripts["Codex"] += 1
    assert summary.lines() == ["0 edit calls in 1 transcript of Codex.", "0 failed."]


def test_lines_fit_the_terminal() -> None:
    summary = replay([str(TRANSCRIPTS)])
    for width in (100, 80, 60, 40):
        assert all(len(line) <= width for line in summary.lines(width)), width
    assert "       5 failed" in summary.lines(40) and any(
        line.startswith("text not found   ") for line in summary.lines(80)
    )


def test_the_page_has_every_number_and_runs_nothing() -> None:
    page = replay([str(TRANSCRIPTS)]).page()
    assert "anypatch would have applied 2 of the 6 failed calls that can be replayed" in page
    label = "text not found: 2 same, 3 refused"
    assert f'aria-label="{label}"' in page and "default-src 'none'" in page and "<script" not in page
    ElementTree.fromstring(page[page.index("<main>") : page.index("</html>")])
    assert not re.search(r"/work|self\.items", page), "no path and no text of a file"

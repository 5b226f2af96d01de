"""Replay the edit calls in agents' transcripts, in memory: which of those that failed would have been applied?

summary = replay(["session.jsonl"])
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence

from .events import BadLine
from .judge import judge
from .summary import Summary
from .tracker import Case, Tracker
from .transcripts import CLIENTS, Transcript, find, usual_folders

__all__ = ["Summary", "last_text", "replay"]


def replay(places: Sequence[str] = (), *, tell: Callable[[int, float], None] | None = None) -> Summary:
    """Replay the edit calls in these files and folders, by default where the clients keep their transcripts.

    `tell`: called with the number of calls so far, and the share of the transcripts that is done.
    """
    transcripts = list(find(places or usual_folders(os.environ)))
    summary, done = Summary(), 0
    whole = sum(transcript.bytes for transcript in transcripts) or 1
    for transcript in transcripts:
        for case in _cases(transcript, summary):
            summary.add(case, judge)
            if tell:
                tell(summary.calls, done / whole)
        done += transcript.bytes
        summary.transcripts[CLIENTS[transcript.client].title] += 1
    return summary


def _cases(transcript: Transcript, summary: Summary) -> Iterator[Case]:
    tracker = Tracker()
    try:
        for event in CLIENTS[transcript.client].read(transcript.path):
            if isinstance(event, BadLine):
                summary.bad_lines += 1
            yield from tracker.feed(event)
    except (OSError, sqlite3.Error):
        summary.bad_lines += 1
    yield from tracker.finish()


def last_text(transcript: str, path: str) -> tuple[str, bool] | None:
    """Return a file's text as a transcript's model knew it last, and False if something may have changed it since."""
    tracker = Tracker()
    for found in find([transcript]):
        try:
            for event in CLIENTS[found.client].read(found.path):
                for _ in tracker.feed(event):
                    pass
        except (OSError, sqlite3.Error):
            return None
    return tracker.last_text(path)

"""Transcripts and small sessions for the tests of replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from anypatch.replay.events import Contents, EditCall, Event, Origin
from anypatch.replay.tracker import Case, Tracker

TRANSCRIPTS = Path(__file__).parent.parent / "replay" / "transcripts"
CLAUDE = TRANSCRIPTS / "claude.jsonl"
CODEX = TRANSCRIPTS / "rollout-2026-11-19T02-00-46-01a1.jsonl"
GEMINI = TRANSCRIPTS / "session-2026-11-19T02-00-91c9.jsonl"
OLDER_GEMINI = TRANSCRIPTS / "session-2025-11-19T02-00-0a11.json"
OPENCODE = TRANSCRIPTS / "storage"
EVERY = (CLAUDE, CODEX, GEMINI, OLDER_GEMINI, OPENCODE)

PATH = "/work/shop/cart.py"
CART = """class Cart:
    def add(self, item):
        self.items.append(item)

    def total(self):
        amount = 0
        return amount
"""
FROM_ONE = CART.replace("amount = 0", "amount = 1")


def edit(
    old: str, new: str, error: str = "", *, before: Contents | None = None, after: Contents | None = None, id: str = "1"
) -> EditCall:
    """Return a call of Claude Code's Edit on the cart."""
    answer = {"name": "Edit", "input": {"file_path": "cart.py", "old_string": old, "new_string": new}}
    origin = Origin("claude", "a-model", "a-session", id, "Edit")
    return EditCall(origin, answer, {"cart.py": PATH}, error, before or {}, after or {})


def cases(events: Iterable[Event]) -> list[Case]:
    """Return the calls of a whole session, in the order in which they are settled."""

    def settled() -> Iterator[Case]:
        tracker = Tracker()
        for event in events:
            yield from tracker.feed(event)
        yield from tracker.finish()

    return list(settled())

"""Replay the edit calls in agents' transcripts, in memory: which of those that failed would have been applied?

summary = replay(["session.jsonl"])
"""

from .run import replay
from .summary import Summary

__all__ = ["Summary", "replay"]

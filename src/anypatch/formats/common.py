"""What the readers of several formats share: how an answer looks that is cut off before a block."""

from __future__ import annotations

from ..problems import Problem


def cut_before_block(line: int) -> Problem:
    """The refusal of an answer that ends where another block, or its fence, begins."""
    advice = "Send the rest of it; if this is all, leave the last line out."
    return Problem("truncated", "the answer ends where a block begins", patch_line=line, advice=advice)


def is_cut_marker(last: str) -> bool:
    """Whether what an answer ends with is nothing, or only a part of `<<<<<<< SEARCH`."""
    return not last.strip("<ABCDEFGHIJKLMNOPQRSTUVWXYZ ") and last[:3] in ("", "<<<")

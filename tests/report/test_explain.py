"""A run explained stage by stage."""

from __future__ import annotations

from anypatch.report.explain import explain
from support.results import (
    DONE,
    PATCH,
    REFUSED,
)


def test_explain_shows_every_stage() -> None:
    told = explain(PATCH, REFUSED, (("chunk", 90), ("chunk-v2", 0)))
    assert told[:8] == [
        "sniffed",
        "   90  chunk",
        "    0  chunk-v2",
        "parsed as chunk, 1 edit",
        "  Say it in German",
        "  1. replace_text a.txt (line 6)",
        "     hunk at line 7: line=2, headers=('class A',); levels exact, indentation; indentation mapped; as is",
        "       -two",
    ]
    assert "  1. a.txt: not placed: not_found" in told
    assert told[-1] == "it does not fit"
    fits = explain(PATCH, DONE)
    assert "  1. a.txt: replaced line 2 with 2 lines (exact)" in fits
    assert "  1. a.txt: deleted line 3 (indent)" in fits
    assert "  2. new.txt: the whole file, 2 lines" in fits
    assert fits[-1] == "it fits"

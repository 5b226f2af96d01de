"""Generated texts, and the formats as parameters."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from anypatch import api

FORMATS = [pytest.param(format, id=format.name) for format in api.formats()]

WORDS = st.sampled_from(
    ["a", "b", "  a", "\ta", "a ", "x = 1", "    x = 1", "}", "{", "", "", "  ", "# c", "// c", "/* c", "c */", '"""', "'s'",
     "- a", "key: v", "--- ", "---", "=== x ===", "é", "\u2028", "\x0c", "a\x85b", "“q”", "\udce9", "😀", "|-", "&a", "*a",
     "!t", "%d", "@x", "`", "a: b: c", "#", '"', "\\", "\ta\tb", "operations:", "=END", "@@", "+x", "-x", "*** End"]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(st.lists(WORDS, max_size=12))
    kind = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", "mixed"]))
    ends = [draw(ENDS) if kind == "mixed" else kind for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    if lines and draw(st.integers(0, 3)) == 0:
        text = text[: len(text) - len(ends[-1])]
    return ("\ufeff" if draw(st.integers(0, 7)) == 0 else "") + text


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """A text and the same text after a few edits of whole lines."""
    before = draw(texts())
    lines = before.split("\n")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 2))] = draw(st.lists(WORDS, max_size=2))
    return before, "\n".join(lines)

"""Text put in the place of ranges of a file, as language servers tell them: lines and columns from 0. Values only."""

from __future__ import annotations

from .model import Rules, Where
from .record import NamedTuple

UNITS = ("utf-16", "utf-8", "utf-32")


class Span(NamedTuple):
    """From a place to just before another; `text` takes the place of what stands there."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


class Spans(NamedTuple):
    """All spans of one file, in the text as it was; stands alone in its Edit.

    `unit`: what columns count. `hash`: what the file must hash to, "" for anything.
    """

    spans: tuple[Span, ...]
    unit: str = "utf-16"
    hash: str = ""
    patch_line: int = 0
    rules: Rules = Rules(("exact",), indent="as-is", eol="majority")

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """What comes, as tagged lines."""
        return tuple(("+", line) for span in self.spans if span.text for line in span.text.split("\n"))

    @property
    def where(self) -> Where:
        """The lines that the spans touch."""
        first = min((span.start[0] for span in self.spans), default=0)
        return Where(line=first + 1, last=max((span.end[0] for span in self.spans), default=0) + 1)

"""Files shown in part: a path, then the parts that change in a fence, with `... existing code ...` between."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "elided",
    "Files shown in part: a path, then the parts that change in a fence, with `... existing code ...` between",
    frozenset(("create", "overwrite")),
    Writing("own", whole="show"),
    signs=("```", "~~~", "<file ", "<document "),
)

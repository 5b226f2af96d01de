"""The examples of the formats (`examples.md` in each folder): patches with the files before and after."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from anypatch import formats

_FENCED = re.compile(r"(?:(Before|After), `([^`\n]+)`|The patch):\n\n``````text\n(.*?)``````\n", re.DOTALL)


class Example(NamedTuple):
    """A patch with the files before and after it; a path missing from one side is created or deleted."""

    title: str
    before: Mapping[str, str]
    patch: str
    after: Mapping[str, str]


@cache
def examples_of(name: str) -> tuple[Example, ...]:
    """Read the examples of a format: a heading each, under it fences for the files and the patch."""
    page = (Path(formats.__file__).parent / name.replace("-", "_") / "examples.md").read_bytes().decode()
    examples = []
    for part in page.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        fences = _FENCED.findall(body)
        before, after = ({path: text for when, path, text in fences if when == side} for side in ("Before", "After"))
        patch = next(text for when, _, text in fences if not when)
        examples.append(Example(title, before, patch, after))
    return tuple(examples)

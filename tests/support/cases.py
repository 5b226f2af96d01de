"""Cases of tests/cases and tests/harm: JSON lines, or folders that a person can write.

tests/harm/TOPIC.jsonl            a case in each line; for odd bytes, line ends and options
tests/harm/TOPIC/NAME/            the same as files:
    answer.md, or patch.txt       what the model wrote
    before/…                      the tree that it was written for
    after/…                       the tree that is wanted, or
    refused.txt                   the kind of problem, or several, a line each, any of which will do
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anypatch.text import decode

HOME = Path(__file__).parent.parent


def load(folder: str) -> list[Any]:
    """Every case below a folder of tests, as parameters."""
    top = HOME / folder
    found = [
        (file.stem, json.loads(line))
        for file in sorted(top.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").split("\n")
        if line.strip()
    ]
    places = sorted(place for topic in top.iterdir() if topic.is_dir() for place in topic.iterdir())
    found += [(place.parent.name, from_folder(place)) for place in places]
    for _, case in found:
        case["patch"] = case["patch"] if isinstance(case["patch"], str) else json.dumps(case["patch"])
    return [pytest.param(case, id=f"{topic}:{case['name']}") for topic, case in found]


def from_folder(place: Path) -> dict[str, Any]:
    """One case that is written as files; the topic is its format where that is one's name."""
    (patch,) = (path for name in ("answer.md", "patch.txt") if (path := place / name).exists())
    case: dict[str, Any] = {"name": place.name, "format": place.parent.name, "patch": decode(patch.read_bytes())}
    case["before"] = tree(place / "before")
    if (place / "after").exists():
        case["after"] = tree(place / "after")
    if (place / "refused.txt").exists():
        kinds = (place / "refused.txt").read_text(encoding="utf-8").split()
        case["refused"], case["error"] = kinds, kinds[0]
    return case


def tree(root: Path) -> dict[str, str]:
    """Every file below a folder but our own state."""
    return {
        path.relative_to(root).as_posix(): decode(path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".anypatch" not in path.parts
    }
